// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cp.async: copies of 4 to 16 bytes a lane from global to shared memory. Source: PTX ISA 9.0, section 9.7.9.25.
#include "optimized/ptx/instructions/async.hpp"

#include <algorithm>

#include "optimized/ptx/instructions/arrival.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/memory.hpp"

namespace parity::ptx {
namespace {

void carry_out(Warp& warp, const PendingCopy& copy) {
  Block& block = *copy.block;
  uint8_t* to = block.shared.data() + copy.shared;
  const Allocation* from = copy.filled > 0 ? warp.worker->machine.device.nearest(copy.global) : nullptr;
  if (from != nullptr) std::memcpy(to, from->data.get() + (copy.global - from->base), copy.filled);
  std::memset(to + copy.filled, 0, copy.bytes - copy.filled);
  if (warp.checks) std::fill_n(block.state.data() + copy.shared, copy.bytes, uint8_t{Mark::written});
}

/// Returns the copies of a lane that are in groups older than the `newest` last groups.
void finish(Warp& warp, Mask lanes, uint32_t newest, bool all) {
  std::erase_if(warp.copies, [&](const PendingCopy& copy) {
    if (!has_lane(lanes, copy.lane) || (!all && copy.group + newest >= warp.copy_group[copy.lane])) return false;
    carry_out(warp, copy);
    return true;
  });
}

/// Returns the lanes whose first `filled` bytes may be read. The rest becomes zeros and is not read. Parts are powers
/// of two.
Mask read_parts(Warp& warp, const Step& step, const Lanes& from, const uint32_t (&filled)[kLanes]) {
  const Mask asked = warp.mask;
  Mask ok = asked;
  for (uint32_t part = step.width; part > 0; part /= 2) {
    Lanes lanes;
    Mask reads = 0;
    for (uint32_t l = 0; l < kLanes; ++l) reads |= Mask{has_lane(asked, l) && (filled[l] & part) != 0} << l;
    if (reads == 0) continue;
    warp.mask = reads;
    for (uint32_t l = 0; l < kLanes; ++l) {
      const uint32_t lane = has_lane(reads, l) ? l : warp.first_lane();
      lanes.address[l] = from.address[lane] + (filled[lane] & ~(2 * part - 1));
    }
    ok &= ~reads | reach_in(warp, step, lanes, part, Intent::read, Space::global);
  }
  warp.mask = asked;
  return ok;
}

/// a + immediate: to shared memory; b + e: from global memory; c: bytes of the source, or a predicate (mode 2).
void copy_async(Warp& warp, const Step& step) {
  uint32_t filled[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    filled[l] = step.width;
    if (step.mode == 1) filled[l] = std::min<uint32_t>(step.width, warp.at<uint32_t>(step.c)[l]);
    if (step.mode == 2 && has_lane(*warp.at<Mask>(step.c) ^ (step.mode2 != 0 ? kAllLanes : 0), l)) filled[l] = 0;
  }
  Lanes to, from;
  addresses(warp, step, to);
  const Mask asked = warp.mask;
  const Mask into = reach_in(warp, step, to, step.width, Intent::write, step.space);
  Mask reads = 0;
  for (uint32_t l = 0; l < kLanes; ++l) reads |= Mask{has_lane(into, l) && filled[l] > 0} << l;
  warp.mask = reads;
  Mask ok = into & ~reads;
  if (reads != 0) {
    const auto* at = warp.at<uint64_t>(step.b);
    const auto offset = static_cast<uint64_t>(int64_t{static_cast<int32_t>(step.e)});
    for (uint32_t l = 0; l < kLanes; ++l) from.address[l] = at[has_lane(reads, l) ? l : warp.first_lane()] + offset;
    ok |= read_parts(warp, step, from, filled);
  }
  warp.mask = asked;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(ok & to.shared, l)) continue;
    if (warp.checks) {
      observe_write(warp, step, to, l, step.width, false);
      std::fill_n(to.home[l]->state.data() + to.address[l], step.width, uint8_t{Mark::in_flight});
    }
    warp.copies.push_back({to.home[l], from.address[l], static_cast<uint32_t>(to.address[l]), step.width, filled[l], l,
                           warp.copy_group[l], &step});
  }
}

void commit_copies(Warp& warp, const Step&) {
  for (uint32_t l = 0; l < kLanes; ++l) warp.copy_group[l] += has_lane(warp.mask, l) ? 1U : 0U;
}
void wait_copies(Warp& warp, const Step& step) {
  finish(warp, warp.mask, static_cast<uint32_t>(step.immediate), false);
}
void wait_all_copies(Warp& warp, const Step&) { finish(warp, warp.mask, 0, true); }

/// The lane's arrival follows its copies. Without .noinc one more is expected for it, so nothing changes.
void arrive_after_copies(Warp& warp, const Step& step) {
  finish(warp, warp.mask, 0, true);
  Lanes lanes;
  addresses(warp, step, lanes);
  const Mask ok = reach_in(warp, step, lanes, 8, Intent::write, step.space);
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(ok & lanes.shared, l)) continue;
    auto& all = lanes.home[l]->arrival_barriers;
    const auto found = all.find(static_cast<uint32_t>(lanes.address[l]));
    if (found == all.end()) {
      warp.find(Finding::Kind::bad_barrier, step, l, "no mbarrier was initialised here");
      continue;
    }
    ArrivalBarrier& barrier = found->second;
    if (warp.checks) barrier.arriving = join(barrier.arriving, warp.released(l));
    if (step.mode == 0) continue;
    if (barrier.pending == 0) warp.find(Finding::Kind::bad_barrier, step, l, "no arrival is expected in this phase");
    if (barrier.pending > 0) --barrier.pending;
    settle(barrier);
  }
}

Handler copies(Decoder& d, Step& step) {
  const bool all = d.take("ca");
  if (!all && !d.take("cg")) d.refuse("'.ca' or '.cg' is expected");
  step.space = Space::shared;
  if (!d.take("shared") && !d.take("shared::cta")) d.refuse("shared memory is expected");
  if (!d.take("global")) d.refuse("global memory is expected");
  size_t end = d.operands();
  for (const std::string_view part : d.parts()) {
    if (!part.starts_with("L2::")) continue;
    d.take(part);
    if (part == "L2::cache_hint") static_cast<void>(d.source(--end, Type::b64));
  }
  Step source;
  d.address(source, d.operand(1));
  d.address(step, d.operand(0));
  if (!source.wide_address) d.refuse("a source of 64 bits is expected");
  step.b = source.a;
  step.e = static_cast<uint32_t>(source.immediate);
  const Operand& size = d.operand(2);
  if (size.kind != Operand::Kind::integer || (size.bits != 4 && size.bits != 8 && size.bits != 16))
    d.refuse("a size of 4, 8 or 16 is expected");
  step.width = static_cast<uint8_t>(size.bits);
  if (end > 3) {
    step.mode = d.register_bytes(d.operand(3)) == 1 ? 2 : 1;
    step.mode2 = d.operand(3).negated ? 1 : 0;
    step.c = d.source(3, step.mode == 2 ? Type::pred : Type::u32);
  }
  return &copy_async;
}

}  // namespace

Handler async_group(Decoder& d, Step& step) {
  if (!d.is("cp") || !d.take("async") || d.has("bulk")) return nullptr;
  if (d.take("commit_group")) return d.need(0), &commit_copies;
  if (d.take("wait_all")) return d.need(0), &wait_all_copies;
  if (d.take("wait_group")) {
    d.need(1);
    if (d.operand(0).kind != Operand::Kind::integer) d.refuse("a number of groups is expected");
    step.immediate = static_cast<int64_t>(d.operand(0).bits);
    return &wait_copies;
  }
  if (d.take("mbarrier")) {
    d.need(1);
    d.take("arrive");
    step.mode = d.take("noinc") ? 1 : 0;
    step.space = take_space(d);
    d.take("b64");
    d.address(step, d.operand(0));
    return &arrive_after_copies;
  }
  return copies(d, step);
}

}  // namespace parity::ptx
