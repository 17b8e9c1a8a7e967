// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A decoded instruction: a function over 32 lanes, and where its operands lie.
#pragma once

#include <cstdint>

namespace parity::ptx {

inline constexpr uint32_t kLanes = 32;
using Mask = uint32_t;  // a bit for each lane
inline constexpr Mask kAllLanes = ~Mask{0};

[[nodiscard]] constexpr bool has_lane(Mask mask, uint32_t lane) { return (mask >> lane & 1U) != 0; }

class Warp;
struct Step;
using Handler = void (*)(Warp&, const Step&);

enum class Space : uint8_t { generic, global, shared, local, param };
/// How a memory access takes part in synchronisation. Source: PTX ISA 9.0, section 8 (memory consistency model).
enum class Strength : uint8_t { weak, relaxed, acquire, release, acquire_release };
/// Threads among which an access synchronises; .sys counts as gpu: there is one device.
enum class Scope : uint8_t { cta, cluster, gpu };
/// What executed instructions are counted by.
enum class Kind : uint8_t {
  integer,
  logic,
  compare,
  move,
  convert,
  real,
  half,
  memory,
  atomic,
  control,
  warp,
  barrier,
  async,
  matrix,
  count
};
[[nodiscard]] const char* to_string(Kind kind);

/// Operands are byte offsets into the registers of a frame; 0 is a place where values are dropped.
struct Step {
  Handler run = nullptr;
  uint32_t d = 0, d2 = 0, a = 0, b = 0, c = 0, e = 0;
  uint32_t guard = 0;
  bool guarded = false, negated = false;
  bool partial = false;      // some of its sources may be unwritten: packing of registers
  bool wide_address = true;  // 64 bits
  bool holds = false;        // of wgmma: what it names stays its own until a wait
  Space space = Space::generic;
  Strength strength = Strength::weak;
  Scope scope = Scope::gpu;
  Kind kind = Kind::move;
  uint8_t width = 0, count = 1;        // bytes of an element, elements of a vector
  uint8_t mode = 0, mode2 = 0;         // of the handler
  uint32_t list = 0, list2 = 0;        // operands of a vector or call, in Code::lists
  uint32_t reads = 0, read_count = 0;  // registers, in Code::lists
  uint32_t writes = 0, write_count = 0;
  int64_t immediate = 0;            // offset of an address, target of a branch
  uint32_t line = 0, location = 0;  // of the PTX text; of Module::locations
};

}  // namespace parity::ptx
