// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/machine/shadow.hpp"

#include <algorithm>
#include <bit>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

constexpr size_t kMostReads = 16;  // of one granule that are kept; beyond them some races are not seen

struct Origin {
  uint32_t block, warp;
};
Origin origin_of(const Toucher& by, const Touch& touch) {
  const uint32_t per_block = by.warp.worker->machine.warps_per_block;
  return {(touch.warp - 1) / per_block, (touch.warp - 1) % per_block};
}

/// Lanes of an earlier access that the lane has not been ordered after.
Mask unordered(const Toucher& by, const Touch& touch, uint32_t lane) {
  const Origin origin = origin_of(by, touch);
  const bool own = touch.warp == by.warp.number() + 1;
  const Known& known = by.warp.order->known[lane];
  Mask found = 0;
  for (Mask rest = touch.lanes; rest != 0; rest &= rest - 1) {
    const auto other = static_cast<uint32_t>(std::countr_zero(rest));
    if (own && other == lane) continue;
    if (!knows(known, origin.block, origin.warp * kLanes + other, touch.time)) found |= 1U << other;
  }
  return found;
}

bool in_scope(const Toucher& by, uint32_t block, Scope scope) {
  if (scope == Scope::gpu || block == by.warp.block->number) return true;
  if (scope == Scope::cta) return false;
  const auto of_cluster = static_cast<uint32_t>(by.warp.worker->machine.cluster.count());
  const Gang& gang = *by.warp.block->gang;
  return std::any_of(gang.blocks.begin(), gang.blocks.end(), [&](const auto& b) { return b->number == block; }) &&
         of_cluster > 1;
}

/// Strong accesses within each other's scope do not race. Source: PTX ISA 9.0, section 8.7.1.
bool both_strong(const Toucher& by, const Touch& touch) {
  if ((by.step & kStrongTouch) == 0 || (touch.step & kStrongTouch) == 0) return false;
  const uint32_t block = origin_of(by, touch).block;
  return in_scope(by, block, static_cast<Scope>(by.step >> kTouchScope & 3U)) &&
         in_scope(by, block, static_cast<Scope>(touch.step >> kTouchScope & 3U));
}

void report(const Toucher& by, uint32_t lane, const Touch& touch, Mask lanes, const char* mine, const char* theirs) {
  Machine& machine = by.warp.worker->machine;
  const Origin origin = origin_of(by, touch);
  const uint32_t thread = origin.warp * kLanes + static_cast<uint32_t>(std::countr_zero(lanes));
  const Dim& size = machine.launch.block;
  Thread other;
  other.block = block_at(machine, origin.block);
  other.thread = {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
  by.warp.find(Finding::Kind::race, machine.program.step(by.step & kTouchStep), lane,
               fmt::format("this {} of {} memory is not ordered after a {} by another thread", mine, by.where, theirs),
               other, &machine.program.step(touch.step & kTouchStep));
}

void check_after_read(const Toucher& by, const Touch& read, uint32_t lane) {
  if (read.warp == 0 || both_strong(by, read)) return;
  if (const Mask lanes = unordered(by, read, lane); lanes != 0) report(by, lane, read, lanes, "write", "read");
}

bool mine(const Toucher& by, const Touch& read, uint32_t lane) {
  return read.warp == by.warp.number() + 1 && read.time == by.warp.order->clock[lane] && read.step == by.step;
}

}  // namespace

void touch_read(const Toucher& by, ShadowPage& page, Cell& cell, uint32_t lane) {
  if (cell.write.warp != 0 && !both_strong(by, cell.write)) {
    const Mask lanes = unordered(by, cell.write, lane);
    if (lanes != 0) report(by, lane, cell.write, lanes, "read", "write");
  }
  if (mine(by, cell.read, lane)) {
    cell.read.lanes |= 1U << lane;
    return;
  }
  const Touch now{by.warp.number() + 1, by.warp.order->clock[lane], 1U << lane, by.step};
  const auto follows = [&](const Touch& t) {
    const bool same_strength = ((t.step ^ by.step) & kStrongTouch) == 0;
    return same_strength && unordered(by, t, lane) == 0;
  };
  if (cell.more == 0) {
    if (cell.read.warp == 0 || follows(cell.read)) {
      cell.read = now;
      return;
    }
    if (page.unused.empty()) {
      page.more.emplace_back();
      cell.more = static_cast<uint32_t>(page.more.size());
    } else {
      cell.more = page.unused.back();
      page.unused.pop_back();
    }
  }
  std::vector<Touch>& more = page.more[cell.more - 1];
  for (Touch& touch : more) {
    if (!mine(by, touch, lane)) continue;
    touch.lanes |= 1U << lane;
    return;
  }
  std::erase_if(more, follows);
  if (more.size() < kMostReads) more.push_back(cell.read);
  cell.read = now;
}

void touch_write(const Toucher& by, ShadowPage& page, Cell& cell, uint32_t lane, bool same) {
  const Touch& write = cell.write;
  const bool again = same && ((write.step ^ by.step) & kTouchStep) == 0 && write.warp != 0 &&
                     origin_of(by, write).block == by.warp.block->number;
  if (write.warp != 0 && !again && !both_strong(by, write)) {
    const Mask lanes = unordered(by, write, lane);
    if (lanes != 0) report(by, lane, write, lanes, "write", "write");
  }
  check_after_read(by, cell.read, lane);
  if (cell.more != 0) {
    for (const Touch& read : page.more[cell.more - 1]) check_after_read(by, read, lane);
    page.more[cell.more - 1].clear();
    page.unused.push_back(cell.more);
  }
  cell = {{by.warp.number() + 1, by.warp.order->clock[lane], 1U << lane, by.step}, {}, 0};
}

}  // namespace parity::ptx
