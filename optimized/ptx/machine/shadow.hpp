// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The last accesses of each granule of memory, by which races are found.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "optimized/ptx/machine/order.hpp"

namespace parity::ptx {

/// An access by lanes of a warp at the same time of their clocks.
struct Touch {
  uint32_t warp = 0;  // its number in the launch, plus one; 0: nobody
  uint32_t time = 0;
  Mask lanes = 0;
  uint32_t step = 0;  // number in the program; above it kStrong and the scope
};

/// The last write, and all reads since then that are not ordered before another read.
struct Cell {
  Touch write, read;
  uint32_t more = 0;  // 1 + index of further reads in the page
};

struct ShadowPage {
  static constexpr uint32_t kBytes = 4096;
  std::vector<Cell> cells;
  std::vector<std::vector<Touch>> more;
  std::vector<uint32_t> unused;             // of `more`
  std::map<uint32_t, Published> published;  // by the offset of an address that synchronises
};

inline constexpr uint32_t kStrongTouch = 1U << 31U, kTouchScope = 29, kTouchStep = (1U << 29U) - 1;

class Warp;

/// The access that is being checked, of one lane.
struct Toucher {
  Toucher(Warp& of, uint32_t number_of_step, uint32_t of_lane, const char* memory);
  Warp& warp;
  uint32_t step;  // with its flags
  uint32_t lane;
  const char* where;    // "shared", "global"
  uint32_t self;        // number of the warp, plus one
  uint32_t time;        // of the lane
  const uint32_t* own;  // what it knows of its block; null: nothing
};

void touch_read(const Toucher& by, ShadowPage& page, Cell& cell);
/// same: the write changes nothing, so that another lane of the same instruction may have written it, too.
void touch_write(const Toucher& by, ShadowPage& page, Cell& cell, bool same);

}  // namespace parity::ptx
