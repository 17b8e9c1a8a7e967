// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// From addresses of lanes to bytes of this machine: bounds, alignment, lifetime, and with checks races and unwritten bytes.
#pragma once

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {

enum class Intent : uint8_t { read, write, update };  // update: an atomic operation

/// Addresses of the 32 lanes of an access, and what they mean. Pages of global memory stay locked while it lives.
struct Lanes {
  alignas(64) std::array<uint64_t, kLanes> address;  // inactive lanes have that of the first active one
  std::array<uint8_t*, kLanes> host;
  std::array<Block*, kLanes> home;             // of shared memory
  std::array<Allocation*, kLanes> allocation;  // with checks
  Mask global = 0, shared = 0, local = 0;
  uint64_t locked = 0;
  PageLocks* locks = nullptr;

  Lanes() {}  // NOLINT(modernize-use-equals-default): arrays stay as they are
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  ~Lanes() {
    if (locked != 0) locks->unlock(locked);
  }
};

/// Fills the addresses from the step's operand a and its offset.
void addresses(const Warp& warp, const Step& step, Lanes& lanes);
/// The lanes whose `bytes` bytes may be accessed; the others are findings. `host` is filled for them. With checks reads
/// are checked here.
[[nodiscard]] Mask reach(Warp& warp, const Step& step, Lanes& lanes, uint32_t bytes, Intent intent);
/// Like reach(), for addresses that `lanes` holds already, in one state space.
[[nodiscard]] Mask reach_in(Warp& warp, const Step& step, Lanes& lanes, uint32_t bytes, Intent intent, Space space);

/// Called with checks for one lane, before its bytes change. `same`: the write leaves the bytes as they are.
void observe_write(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, uint32_t bytes, bool same);
/// Returns whether the bytes may be accessed.
bool observe_read(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, uint32_t bytes);
/// Called with checks when a copy or a wgmma reads the shared bytes. Stores to them must be followed by a
/// fence.proxy.async.
void check_proxy(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, uint32_t bytes);
/// A strong access: the lane learns what was published at the address, and publishes there what it knows.
void learn(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane);
void publish(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, bool replace);

}  // namespace parity::ptx
