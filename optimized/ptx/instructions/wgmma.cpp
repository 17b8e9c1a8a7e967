// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// wgmma: asked for by the four warps of a warpgroup, carried out when one of them waits. Source: PTX ISA 9.0, section
// 9.7.15.
#include "optimized/ptx/instructions/wgmma.hpp"

#include <algorithm>

#include "optimized/ptx/counting/hooks.hpp"
#include "optimized/ptx/instructions/matrix.hpp"
#include "optimized/ptx/machine/access.hpp"

namespace parity::ptx {
namespace {

/// Called with checks when the wgmma is issued: checks the bytes of the operand, and notes that they are read from now
/// on.
void begin_reading(Warp& warp, const Step& step, const Side& side, const Warpgroup& what) {
  Lanes lanes;
  lanes.shared = 1;
  lanes.home[0] = warp.block;
  bool reported = false;
  each_chunk(side.at, side.major, what, side.from, side.to, [&](uint32_t address, int, int) {
    if (!inside(warp, address)) {
      if (!reported)
        warp.find(Finding::Kind::out_of_bounds, step, 0,
                  fmt::format("an operand of the product lies at shared offset {} of {}",
                              static_cast<int64_t>(address) - kSharedStart, warp.block->shared.size() - kSharedStart));
      reported = true;
      return;
    }
    if (!warp.checks) return;
    lanes.address[0] = address;
    observe_read(warp, step, lanes, 0, 16);
    check_proxy(warp, step, lanes, 0, 16);
    ++warp.block->readers[address / Block::kReadUnit];
  });
}

/// Each warp multiplies its rows of A; B is read once for the four. Swizzled operands have no conflicts.
void count(const Warp& warp, const Step& step, const Warpgroup& what) {
  if (warp.worker->counting == nullptr) return;
  const auto m = static_cast<uint32_t>(what.shape.m), n = static_cast<uint32_t>(what.shape.n),
             k = static_cast<uint32_t>(what.shape.k);
  count_products(warp, step, {to_string(what.a), m, n, k, kWarpsOfGroup});
  const uint32_t columns = warp.index % kWarpsOfGroup == 0 ? n : 0, rows = what.a_in_registers ? 0 : m / kWarpsOfGroup;
  count_shared_bytes(warp, step, uint64_t{columns + rows} * k * static_cast<uint32_t>(bits_of(what.operand)) / 8);
}

void ask(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  const uint32_t* words = warp.frame->code->lists.data() + step.list;
  const Warpgroup what = warpgroup_of(words);
  if (warp.block->warps.size() < warp.index / kWarpsOfGroup * kWarpsOfGroup + kWarpsOfGroup)
    warp.find(Finding::Kind::warp_divergence, step, 0, "the block has no four warps here; a warpgroup is four warps");
  PendingMatrix pending;
  pending.frame = warp.frame;
  pending.step = &step;
  pending.adds = adds(warp, step);
  pending.group = warp.matrix_group;
  pending.b = warp.at<uint64_t>(step.b)[0];
  if (!what.a_in_registers) pending.a = warp.at<uint64_t>(step.a)[0];
  try {
    const Side b = side_b(pending, what);
    check_operand(b.at, b.major, what.operand, what.shape.n);
    begin_reading(warp, step, b, what);
    if (!what.a_in_registers) {
      const Side a = side_a(warp, pending, what);
      check_operand(a.at, a.major, what.operand, what.shape.m);
      begin_reading(warp, step, a, what);
    }
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("PTX line {}: {}", step.line, error.what()));
  }
  count(warp, step, what);
  if (warp.checks) {
    warp.hold(pending);
    pending.time = warp.order->clock[0]++;
  }
  warp.matrices.push_back(pending);
}

/// The warps of the warpgroup have asked for groups below `end`. False: one of them has still to come.
bool all_asked(Warp& warp, const Step& step, uint32_t end) {
  const auto& warps = warp.block->warps;
  const size_t first = warp.index / kWarpsOfGroup * kWarpsOfGroup;
  for (size_t w = first; w < std::min<size_t>(first + kWarpsOfGroup, warps.size()); ++w) {
    if (warps[w]->matrix_group >= end) continue;
    if (warps[w]->live != 0) return false;
    warp.find(Finding::Kind::warp_divergence, step, 0,
              fmt::format("warp {} of the warpgroup has exited without the products that are waited for", w));
  }
  return true;
}

/// One warp may signal for its warpgroup that an operand can be overwritten, so it learns the times of the other warps'
/// reads.
void learn_reads(Warp& warp, const Warp& other, uint32_t end) {
  Gathering gathering(warp.block->number, warp.worker->machine.warps_per_block * kLanes);
  for (const PendingMatrix& pending : other.matrices) {
    if (pending.group < end) gathering.add(other.thread_of(0), pending.time);
  }
  const Known times = gathering.take();
  for (uint32_t lane = 0; lane < kLanes; ++lane) warp.acquire(lane, times);
}

/// Groups but the `immediate` newest are complete.
void wait_matrices(Warp& warp, const Step& step) {
  const auto newest = static_cast<uint32_t>(step.immediate);
  const uint32_t end = warp.matrix_group < newest ? 0 : warp.matrix_group - newest;
  if (!all_asked(warp, step, end)) {
    warp.next = warp.pc;
    warp.poll_in_vain();
    return;
  }
  // Lanes that meet go on, so that nothing may be left to wait for when they do.
  if (!whole_warp(warp, step)) return;
  warp.spinning = 0;
  const auto& warps = warp.block->warps;
  const size_t first = warp.index / kWarpsOfGroup * kWarpsOfGroup,
               last = std::min<size_t>(first + kWarpsOfGroup, warps.size());
  begin_wait();
  bool more = true;
  for (size_t i = 0; more; ++i) {
    more = false;
    for (size_t w = first; w < last; ++w) {
      if (i >= warps[w]->matrices.size()) continue;
      more = true;
      PendingMatrix& pending = warps[w]->matrices[i];
      if (pending.group < end && !pending.done) carry_out(*warps[w], pending);
    }
  }
  for (size_t w = first; warp.checks && w < last; ++w) {
    if (!warps[w]->matrices.empty()) learn_reads(warp, *warps[w], end);
  }
  std::erase_if(warp.matrices, [&](const PendingMatrix& pending) { return pending.group < end; });
  if (warp.checks) warp.hold_again();
}

void commit_matrices(Warp& warp, const Step& step) {
  if (whole_warp(warp, step)) ++warp.matrix_group;
}
void fence_matrices(Warp& warp, const Step& step) {
  if (whole_warp(warp, step)) ++warp.fence_epoch;
}

}  // namespace

Handler wgmma_group(Decoder& d, Step& step) {
  if (d.is("setmaxnreg")) {
    for (const std::string_view part : d.parts()) d.take(part);
    return [](Warp&, const Step&) {};  // registers are not shared out here
  }
  if (!d.is("wgmma")) return nullptr;
  step.holds = true;
  if (d.take("mma_async")) {
    decode_product(d, step);
    return &ask;
  }
  take_aligned(d);
  if (d.take("fence")) return d.need(0), &fence_matrices;
  if (d.take("commit_group")) return d.need(0), &commit_matrices;
  if (!d.take("wait_group")) d.refuse("this operation is not known");
  d.need(1);
  if (d.operand(0).kind != Operand::Kind::integer) d.refuse("a number of groups is expected");
  step.immediate = static_cast<int64_t>(d.operand(0).bits);
  return &wait_matrices;
}

}  // namespace parity::ptx
