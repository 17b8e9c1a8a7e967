// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a launch costs, counted: instructions, memory traffic, conflicts; by line and in all.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "optimized/ptx/machine/position.hpp"
#include "optimized/ptx/machine/step.hpp"

namespace parity::ptx {

inline constexpr uint32_t kSectorBytes = 32;      // what L2 and DRAM deliver at least
inline constexpr uint32_t kWavefrontBytes = 128;  // what shared memory delivers at most in a clock

/// Ways to access global memory. An asynchronous copy is cp.async; bulk copies are asked for by one lane.
enum class Traffic : uint8_t { load, store, atomic, async, bulk_load, bulk_store, count };
inline constexpr size_t kTraffics = static_cast<size_t>(Traffic::count);
[[nodiscard]] const char* to_string(Traffic traffic);
[[nodiscard]] constexpr bool reads(Traffic t) { return t != Traffic::store && t != Traffic::bulk_store; }
[[nodiscard]] constexpr bool writes(Traffic t) { return !reads(t) || t == Traffic::atomic; }

/// Accesses in sectors. A request is what the lanes of a warp ask for with one instruction.
struct SectorCount {
  uint64_t requests = 0;
  uint64_t coalesced = 0;  // requests of no more sectors than their bytes need
  uint64_t sectors = 0, least = 0;
  uint64_t bytes = 0;  // different ones, request by request
  SectorCount& operator+=(const SectorCount& other);
  bool operator==(const SectorCount&) const = default;
};

/// Accesses of shared memory in wavefronts: each of the 32 banks delivers one word of four bytes.
struct WavefrontCount {
  uint64_t requests = 0, wavefronts = 0, least = 0;
  [[nodiscard]] uint64_t conflicts() const { return wavefronts - least; }
  WavefrontCount& operator+=(const WavefrontCount& other);
  bool operator==(const WavefrontCount&) const = default;
};

/// What an instruction costs, or a line, or a launch.
struct Cost {
  uint64_t instructions = 0;  // of warps
  uint64_t lanes = 0;         // that executed them
  uint64_t barriers = 0;      // instructions that wait for warps of the block or cluster
  std::array<SectorCount, kTraffics> global{};
  SectorCount local;
  WavefrontCount shared;
  std::map<std::string, uint64_t> multiply_adds;  // of tensor units, by type and shape: "bf16 m16n8k16"
  [[nodiscard]] const SectorCount& of(Traffic traffic) const { return global.at(static_cast<size_t>(traffic)); }
  [[nodiscard]] SectorCount all_global() const;
  Cost& operator+=(const Cost& other);
  bool operator==(const Cost&) const = default;
};

/// An instruction of the PTX text.
struct LineCost {
  Position position;
  std::string function, opcode;
  Kind kind = Kind::move;
  Cost cost;
};

/// Bytes at different addresses over the whole launch: what DRAM must move if L2 evicts nothing.
struct UniqueBytes {
  std::array<uint64_t, kTraffics> by_traffic{};
  uint64_t read = 0, written = 0;
  bool operator==(const UniqueBytes&) const = default;
};

struct Counters {
  std::string kernel;
  uint64_t blocks = 0;                // of the grid
  std::vector<uint32_t> run;          // numbers of the blocks that ran, where not all did
  std::vector<LineCost> lines;        // of the blocks that ran; in the order of the text; those that were executed
  std::optional<UniqueBytes> unique;  // counted only where all blocks ran: parts do not add up to it

  [[nodiscard]] uint64_t blocks_run() const { return run.empty() ? blocks : run.size(); }
  /// Returns the sum over the blocks that ran.
  [[nodiscard]] Cost counted() const;
  /// Returns the cost of the whole grid: counted() times the number of blocks, divided by the number that ran.
  [[nodiscard]] Cost total() const;
};

/// Each count times `to` over `from`, to the nearest.
[[nodiscard]] Cost scaled(const Cost& cost, uint64_t to, uint64_t from);

}  // namespace parity::ptx
