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
Origin origin_of(const Touch& touch) {
  return {(touch.warp - 1) >> kWarpBits, (touch.warp - 1) & ((1U << kWarpBits) - 1)};
}

/// Returns the lanes of an earlier access that are not ordered before the lane's access.
Mask unordered(const Toucher& by, const Touch& touch) {
  const Mask others = touch.warp == by.self ? touch.lanes & ~(1U << by.lane) : touch.lanes;
  if (others == 0) return 0;
  const Origin origin = origin_of(touch);
  const bool near = origin.block == origin_of({by.self, 0, 0, 0}).block;
  Mask found = 0;
  for (Mask rest = others; rest != 0; rest &= rest - 1) {
    const auto other = static_cast<uint32_t>(std::countr_zero(rest));
    const uint32_t thread = origin.warp * kLanes + other;
    const bool ordered = near ? by.own != nullptr && by.own[thread] >= touch.time
                              : knows(by.warp.order->known[by.lane], origin.block, thread, touch.time);
    if (!ordered) found |= 1U << other;
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
  const uint32_t block = origin_of(touch).block;
  return in_scope(by, block, static_cast<Scope>(by.step >> kTouchScope & 3U)) &&
         in_scope(by, block, static_cast<Scope>(touch.step >> kTouchScope & 3U));
}

void report(const Toucher& by, const Touch& touch, Mask lanes, const char* mine, const char* theirs) {
  Machine& machine = by.warp.worker->machine;
  const Origin origin = origin_of(touch);
  const uint32_t thread = origin.warp * kLanes + static_cast<uint32_t>(std::countr_zero(lanes));
  const Dim& size = machine.launch.block;
  Thread other;
  other.block = block_at(machine, origin.block);
  other.thread = {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
  by.warp.find(Finding::Kind::race, machine.program.step(by.step & kTouchStep), by.lane,
               fmt::format("this {} of {} memory is not ordered after a {} by another thread", mine, by.where, theirs),
               other, &machine.program.step(touch.step & kTouchStep));
}

void check_after_read(const Toucher& by, const Touch& read) {
  if (read.warp == 0 || both_strong(by, read)) return;
  if (const Mask lanes = unordered(by, read); lanes != 0) report(by, read, lanes, "write", "read");
}

bool mine(const Toucher& by, const Touch& read) {
  return read.warp == by.self && read.time == by.time && read.step == by.step;
}

}  // namespace

Toucher::Toucher(Warp& of, uint32_t number_of_step, uint32_t of_lane, const char* memory)
    : warp(of), step(number_of_step), lane(of_lane), where(memory), self(of.number() + 1), time(of.order->clock[lane]) {
  const Known& known = of.order->known[lane];
  own = known == nullptr ? nullptr : known->own->data();
}

void touch_read(const Toucher& by, ShadowPage& page, Cell& cell) {
  if (cell.write.warp != 0 && !both_strong(by, cell.write)) {
    const Mask lanes = unordered(by, cell.write);
    if (lanes != 0) report(by, cell.write, lanes, "read", "write");
  }
  if (mine(by, cell.read)) {
    cell.read.lanes |= 1U << by.lane;
    return;
  }
  const Touch now{by.self, by.time, 1U << by.lane, by.step};
  const auto follows = [&](const Touch& t) {
    const bool same_strength = ((t.step ^ by.step) & kStrongTouch) == 0;
    return same_strength && unordered(by, t) == 0;
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
    if (!mine(by, touch)) continue;
    touch.lanes |= 1U << by.lane;
    return;
  }
  std::erase_if(more, follows);
  if (more.size() < kMostReads) more.push_back(cell.read);
  cell.read = now;
}

void touch_write(const Toucher& by, ShadowPage& page, Cell& cell, bool same) {
  const Touch& write = cell.write;
  const bool again = same && ((write.step ^ by.step) & kTouchStep) == 0 && write.warp != 0 &&
                     origin_of(write).block == by.warp.block->number;
  if (write.warp != 0 && !again && !both_strong(by, write)) {
    const Mask lanes = unordered(by, write);
    if (lanes != 0) report(by, write, lanes, "write", "write");
  }
  check_after_read(by, cell.read);
  if (cell.more != 0) {
    for (const Touch& read : page.more[cell.more - 1]) check_after_read(by, read);
    page.more[cell.more - 1].clear();
    page.unused.push_back(cell.more);
  }
  cell = {{by.self, by.time, 1U << by.lane, by.step}, {}, 0};
}

}  // namespace parity::ptx
