// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which accesses are ordered before what a thread does next: vector clocks, shared by threads with equal clocks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "optimized/ptx/machine/step.hpp"

namespace parity::ptx {

inline constexpr uint32_t kWarpBits = 5;  // of a warp's number: a block has at most 32

using Times = std::shared_ptr<const std::vector<uint32_t>>;  // of the threads of a block

/// Times up to which what threads did is ordered before what the knower does next. Never changed, so it is shared.
struct Knowledge {
  uint32_t home = 0;  // block
  Times own;          // of the block `home`
  std::map<uint32_t, Times> others;
};
using Known = std::shared_ptr<const Knowledge>;

/// The later of both times, thread by thread; either may be null.
[[nodiscard]] Known join(const Known& mine, const Known& theirs);
/// Whether what `thread` of `block` did up to `time` is ordered before what the holder of `known` does next.
[[nodiscard]] bool knows(const Known& known, uint32_t block, uint32_t thread, uint32_t time);

/// Knowledge of several threads of one block joined, with their own times.
class Gathering {
 public:
  explicit Gathering(uint32_t home, uint32_t threads) : home_(home), own_(threads, 0) {}
  void add(const Known& known);
  void add(uint32_t thread, uint32_t time) { own_[thread] = std::max(own_[thread], time); }
  [[nodiscard]] Known take();

 private:
  uint32_t home_;
  std::vector<uint32_t> own_;
  std::map<uint32_t, Times> others_;
  std::vector<const Knowledge*> seen_;
};

/// What was published by writes to an address, by the scope in which it may be learnt.
struct Published {
  std::array<Known, 3> at;
  void add(const Known& known, Scope scope, bool replace);
};

/// Clocks and knowledge of the lanes of a warp.
struct LaneOrder {
  std::array<uint32_t, kLanes> clock{};
  std::array<Known, kLanes> known;
  std::array<std::array<Known, 3>, kLanes> fenced;   // what later relaxed writes publish, by scope
  std::array<std::array<Known, 2>, kLanes> pending;  // what relaxed reads saw: of the own block, of others
};

}  // namespace parity::ptx
