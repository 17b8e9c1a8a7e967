// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/machine/access.hpp"

#include <algorithm>
#include <bit>

#include "optimized/ptx/counting/hooks.hpp"

namespace parity::ptx {
namespace {

const char* verb(Intent intent) {
  return intent == Intent::read ? "read" : intent == Intent::write ? "write" : "update";
}

/// Lanes whose address is a multiple of the access's size.
Mask aligned(Warp& warp, const Step& step, const Lanes& lanes, uint32_t bytes, Mask mask) {
  uint64_t bits = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) bits |= has_lane(mask, lane) ? lanes.address[lane] : 0;
  if ((bits & (bytes - 1)) == 0) return mask;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint64_t rest = lanes.address[lane] & (bytes - 1);
    if (!has_lane(mask, lane) || rest == 0) continue;
    warp.find(Finding::Kind::misaligned, step, lane,
              fmt::format("an access of {} bytes at 0x{:x}, {} past a multiple", bytes, lanes.address[lane], rest));
    mask &= ~(1U << lane);
  }
  return mask;
}

bool one_global(Warp& warp, const Step& step, Lanes& lanes, uint32_t lane, uint32_t bytes, Intent intent) {
  const uint64_t address = lanes.address[lane];
  Allocation* found = warp.worker->machine.device.nearest(address);
  const uint64_t offset = found == nullptr ? 0 : address - found->base;
  constexpr uint64_t kNear = uint64_t{1} << 20U;
  if (found == nullptr || offset >= found->bytes + kNear) {
    warp.find(Finding::Kind::out_of_bounds, step, lane,
              fmt::format("{} of {} global bytes at 0x{:x}, which is in no allocation", verb(intent), bytes, address));
  } else if (found->freed) {
    warp.find(Finding::Kind::use_after_free, step, lane,
              fmt::format("{} of {} bytes at offset {} of {} bytes that were freed", verb(intent), bytes, offset,
                          found->bytes));
  } else if (offset + bytes > found->bytes) {
    warp.find(Finding::Kind::out_of_bounds, step, lane,
              fmt::format("{} of {} global bytes at offset {} of an allocation of {} bytes", verb(intent), bytes,
                          offset, found->bytes));
  } else if (found->read_only && intent != Intent::read) {
    warp.find(Finding::Kind::read_only, step, lane, fmt::format("{} of the constant {}", verb(intent), found->name));
  } else {
    lanes.host[lane] = found->data.get() + offset;
    lanes.allocation[lane] = found;
    return true;
  }
  return false;
}

void lock_pages(Warp& warp, Lanes& lanes, Mask mask, uint32_t bytes) {
  Machine& machine = warp.worker->machine;
  if (!warp.checks || !machine.locked()) return;
  uint64_t set = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(mask, lane)) continue;
    set |= uint64_t{1} << PageLocks::of(lanes.address[lane]);
    set |= uint64_t{1} << PageLocks::of(lanes.address[lane] + bytes - 1);
  }
  lanes.locks = &machine.locks;
  machine.locks.lock(set);
  lanes.locked = set;
}

Mask reach_global(Warp& warp, const Step& step, Lanes& lanes, uint32_t bytes, Intent intent, Mask mask) {
  mask = aligned(warp, step, lanes, bytes, mask);
  if (mask == 0) return 0;
  uint64_t low = ~uint64_t{0}, high = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint64_t address = lanes.address[lane];
    low = std::min(low, has_lane(mask, lane) ? address : ~uint64_t{0});
    high = std::max(high, has_lane(mask, lane) ? address : 0);
  }
  Allocation*& last = warp.worker->last;
  if (last == nullptr || low < last->base || high + bytes > last->base + last->bytes)
    last = warp.worker->machine.device.nearest(low);
  const bool one = last != nullptr && !last->freed && high + bytes <= last->base + last->bytes &&
                   !(last->read_only && intent != Intent::read);
  if (one) {
    uint8_t* const data = last->data.get();
    const uint64_t base = last->base;
    for (uint32_t lane = 0; lane < kLanes; ++lane) lanes.host[lane] = data + (lanes.address[lane] - base);
    if (warp.checks) lanes.allocation.fill(last);
  } else {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (has_lane(mask, lane) && !one_global(warp, step, lanes, lane, bytes, intent)) mask &= ~(1U << lane);
    }
  }
  lanes.global |= mask;
  lock_pages(warp, lanes, mask, bytes);
  return mask;
}

Mask reach_shared(Warp& warp, const Step& step, Lanes& lanes, uint32_t bytes, Intent intent, Mask mask) {
  Mask result = 0;
  uint64_t bits = 0, high = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    bits |= lanes.address[lane];
    high = std::max(high, lanes.address[lane]);
  }
  const uint64_t size = warp.block->shared.size();
  const bool simple = (bits & (bytes - 1)) == 0 && high + bytes <= size &&
                      *std::min_element(lanes.address.begin(), lanes.address.end()) >= kSharedStart;
  if (simple) {
    uint8_t* const data = warp.block->shared.data();
    for (uint32_t lane = 0; lane < kLanes; ++lane) lanes.host[lane] = data + lanes.address[lane];
    lanes.home.fill(warp.block);
    lanes.shared |= mask;
    return mask;
  }
  mask = aligned(warp, step, lanes, bytes, mask);
  const auto& blocks = warp.block->gang->blocks;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(mask, lane)) continue;
    const uint64_t rank = lanes.address[lane] >> kRankShift, offset = lanes.address[lane] & kSharedOffset;
    if (rank > blocks.size() || offset < kSharedStart || offset + bytes > size) {
      warp.find(Finding::Kind::out_of_bounds, step, lane,
                fmt::format("{} of {} shared bytes at offset {} of {}", verb(intent), bytes,
                            static_cast<int64_t>(lanes.address[lane]) - kSharedStart, size - kSharedStart));
      continue;
    }
    Block* home = rank == 0 ? warp.block : blocks[rank - 1].get();
    lanes.address[lane] = offset;
    lanes.home[lane] = home;
    lanes.host[lane] = home->shared.data() + offset;
    result |= 1U << lane;
    if (home->live == 0)
      warp.find(
          Finding::Kind::use_after_free, step, lane,
          fmt::format("{} of shared memory of block {} of the cluster, which has exited", verb(intent), rank - 1));
  }
  lanes.shared |= result;
  return result;
}

Mask reach_local(Warp& warp, const Step& step, Lanes& lanes, uint32_t bytes, Intent intent, Mask mask) {
  mask = aligned(warp, step, lanes, bytes, mask);
  const uint64_t top = warp.frame->local_base + warp.frame->code->local_bytes;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(mask, lane)) continue;
    if (lanes.address[lane] + bytes > top || lanes.address[lane] > top) {
      warp.find(Finding::Kind::out_of_bounds, step, lane,
                fmt::format("{} of {} local bytes at offset {} of {}", verb(intent), bytes, lanes.address[lane], top));
      mask &= ~(1U << lane);
      continue;
    }
    const size_t at = size_t{lane} * warp.local_bytes + lanes.address[lane];
    lanes.host[lane] = warp.local.data() + at;
    if (!warp.checks) continue;
    uint8_t* const marks = warp.local_written.data() + at;
    if (intent == Intent::read && std::find(marks, marks + bytes, 0) != marks + bytes) {
      warp.find(Finding::Kind::unwritten, step, lane,
                fmt::format("read of {} local bytes at offset {} that were never written", bytes, lanes.address[lane]));
    }
    std::fill(marks, marks + bytes, uint8_t{1});
  }
  lanes.local |= mask;
  return mask;
}

Mask reach_param(Warp& warp, const Step& step, Lanes& lanes, uint32_t bytes, Intent intent, Mask mask) {
  const bool of_launch = step.space != Space::param || step.mode2 == 1;
  const std::vector<uint8_t>& given = warp.worker->machine.launch.parameters.bytes();
  const uint64_t size = of_launch ? given.size() : warp.frame->code->param_bytes;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(mask, lane)) continue;
    if (lanes.address[lane] + bytes > size || lanes.address[lane] > size || (of_launch && intent != Intent::read)) {
      warp.find(Finding::Kind::out_of_bounds, step, lane,
                fmt::format("{} of {} bytes of parameters at offset {} of {}", verb(intent), bytes, lanes.address[lane],
                            size));
      mask &= ~(1U << lane);
      continue;
    }
    lanes.host[lane] = of_launch ? const_cast<uint8_t*>(given.data()) + lanes.address[lane]
                                 : warp.frame->params.data() + size_t{lane} * size + lanes.address[lane];
  }
  return mask;
}

Mask reach_generic(Warp& warp, const Step& step, Lanes& lanes, uint32_t bytes, Intent intent) {
  Mask global = 0, shared = 0, local = 0, param = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint64_t window = window_of(lanes.address[lane]);
    const Mask bit = warp.mask & 1U << lane;
    (window == kSharedWindow  ? shared
     : window == kLocalWindow ? local
     : window == kParamWindow ? param
                              : global) |= bit;
  }
  if (global == warp.mask) return reach_global(warp, step, lanes, bytes, intent, global);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (has_lane(shared | local | param, lane)) lanes.address[lane] -= window_of(lanes.address[lane]);
  }
  Mask result = 0;
  if (shared == warp.mask) return reach_shared(warp, step, lanes, bytes, intent, shared);
  if (shared != 0) {
    Lanes only;
    only.address = lanes.address;
    const uint64_t first = lanes.address[static_cast<uint32_t>(std::countr_zero(shared))];
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!has_lane(shared, lane)) only.address[lane] = first;
    }
    result |= reach_shared(warp, step, only, bytes, intent, shared);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!has_lane(shared, lane)) continue;
      lanes.address[lane] = only.address[lane];
      lanes.host[lane] = only.host[lane];
      lanes.home[lane] = only.home[lane];
    }
    lanes.shared = only.shared;
  }
  if (local != 0) result |= reach_local(warp, step, lanes, bytes, intent, local);
  if (param != 0) result |= reach_param(warp, step, lanes, bytes, intent, param);
  if (global != 0) result |= reach_global(warp, step, lanes, bytes, intent, global);
  return result;
}

}  // namespace

void addresses(const Warp& warp, const Step& step, Lanes& lanes) {
  const auto offset = static_cast<uint64_t>(step.immediate);
  if (step.wide_address) {
    const auto* from = warp.at<uint64_t>(step.a);
    for (uint32_t lane = 0; lane < kLanes; ++lane) lanes.address[lane] = from[lane] + offset;
  } else {
    const auto* from = warp.at<uint32_t>(step.a);
    for (uint32_t lane = 0; lane < kLanes; ++lane) lanes.address[lane] = from[lane] + offset;
  }
  if (warp.mask == kAllLanes) return;
  const uint64_t first = lanes.address[warp.first_lane()];
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    lanes.address[lane] = has_lane(warp.mask, lane) ? lanes.address[lane] : first;
}

Mask reach_in(Warp& warp, const Step& step, Lanes& lanes, uint32_t bytes, Intent intent, Space space) {
  Mask mask = 0;
  switch (space) {
    case Space::global:
      mask = reach_global(warp, step, lanes, bytes, intent, warp.mask);
      break;
    case Space::shared:
      mask = reach_shared(warp, step, lanes, bytes, intent, warp.mask);
      break;
    case Space::local:
      mask = reach_local(warp, step, lanes, bytes, intent, warp.mask);
      break;
    case Space::param:
      mask = reach_param(warp, step, lanes, bytes, intent, warp.mask);
      break;
    case Space::generic:
      mask = reach_generic(warp, step, lanes, bytes, intent);
      break;
  }
  if (warp.worker->counting != nullptr) count_access(warp, step, lanes, mask, bytes, intent);
  if (warp.checks && intent == Intent::read) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (has_lane(mask, lane)) observe_read(warp, step, lanes, lane, bytes);
    }
  }
  return mask;
}

Mask reach(Warp& warp, const Step& step, Lanes& lanes, uint32_t bytes, Intent intent) {
  addresses(warp, step, lanes);
  return reach_in(warp, step, lanes, bytes, intent, step.space);
}

}  // namespace parity::ptx
