// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Named barriers, bar.warp.sync, and fences. Source: PTX ISA 9.0, sections 9.7.13.1 to 9.7.13.5.
#include <algorithm>
#include <bit>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

constexpr uint8_t kArrives = 1, kAligned = 2, kCounted = 4, kNegated = 8;  // of Step::mode2

/// Lanes that wait at a barrier at a different place of the source count as diverged from the lanes that came first.
void compare_places(Warp& warp, const Step& step, const NamedBarrier& barrier) {
  const auto& locations = warp.worker->machine.program.module().locations;
  const Location& mine = locations.at(step.location);
  for (const Arrival& arrival : barrier.arrivals) {
    if (arrival.step == &step || !arrival.waits) continue;
    const Location& other = locations.at(arrival.step->location);
    if (mine.outer_line == 0 || other.outer_line == 0 || mine.outer_line == other.outer_line) continue;
    const Dim& size = warp.worker->machine.launch.block;
    const uint32_t thread = arrival.warp->thread_of(static_cast<uint32_t>(std::countr_zero(arrival.mask)));
    const Thread where{warp.block->at, {thread % size.x, thread / size.x % size.y, thread / size.x / size.y}};
    warp.find(Finding::Kind::barrier_divergence, step, warp.first_lane(),
              "threads of the block wait at different barriers of the source for each other", where, arrival.step);
    return;
  }
}

void block_barrier(Warp& warp, const Step& step) {
  const auto id = warp.uniform<uint32_t>(step.a);
  const bool counted = (step.mode2 & kCounted) != 0, arrives = (step.mode2 & kArrives) != 0;
  const uint32_t expected = counted ? warp.uniform<uint32_t>(step.b) : 0;
  Block& block = *warp.block;
  if (id >= block.barriers.size() || (counted && (expected == 0 || expected % kLanes != 0))) {
    warp.find(Finding::Kind::bad_barrier, step, warp.first_lane(),
              fmt::format("barrier {} is used by {} threads; barriers are 0 to 15, for multiples of 32 threads", id,
                          expected));
    return;
  }
  if ((step.mode2 & kAligned) != 0 && warp.mask != warp.live) {
    if (!warp.diverged) {
      warp.wait(Fragment::State::aligning, warp.pc);
      return;
    }
    warp.find(Finding::Kind::barrier_divergence, step, warp.first_lane(),
              fmt::format("only lanes {:08x} of {:08x} of warp {} arrive", warp.mask, warp.live, warp.index));
  }
  const NamedBarrier& barrier = block.barriers[id];
  if (!counted && !arrives) compare_places(warp, step, barrier);
  if (!barrier.arrivals.empty() && barrier.counted != counted)
    warp.find(Finding::Kind::bad_barrier, step, warp.first_lane(),
              fmt::format("some threads wait at barrier {} with a number of threads, others without", id));
  warp.spinning &= ~warp.mask;
  Arrival arrival{&warp, warp.frame, &step, warp.pc, warp.mask, 0, !arrives, nullptr};
  if (step.mode != 0) arrival.predicate = *warp.at<Mask>(step.c) ^ ((step.mode2 & kNegated) != 0 ? kAllLanes : 0);
  if (!arrives) warp.wait(Fragment::State::barrier, warp.pc + 1, id);
  block.arrive(id, expected, counted, std::move(arrival));
}

/// Orders the accesses of the lanes; warp.meet() has waited until all of them are here.
void warp_barrier(Warp& warp, const Step& step) {
  if (!warp.meet(step, warp.uniform<uint32_t>(step.a)) || !warp.checks) return;
  const std::vector<Party>& parties = warp.parties;
  Mask lanes = 0;
  for (const Party& party : parties) lanes |= party.mask;
  const Known known = warp.released_by(lanes);
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (has_lane(lanes, l)) warp.order->known[l] = known;
  }
}

void fence(Warp& warp, const Step& step) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  warp.fence(step.scope);
}

/// bar.sync a{, b}; bar.arrive a, b; bar.red.popc d, a{, b}, p
Handler barrier(Decoder& d, Step& step) {
  d.take("cta");
  step.mode2 = d.is("bar") || d.has("aligned") ? kAligned : 0;
  d.take("aligned");
  const int what = d.take_one({"sync", "arrive", "red"});
  if (what < 0) d.refuse("'.sync', '.arrive' or '.red' is expected");
  if (what == 1) step.mode2 |= kArrives;
  size_t at = 0, end = d.operands();
  if (what == 2) {
    const int how = d.take_one({"popc", "and", "or"});
    if (how < 0) d.refuse("'.popc', '.and' or '.or' is expected");
    d.take_type();
    step.mode = static_cast<uint8_t>(how + 1);
    step.d = d.destination(at++, how == 0 ? Type::u32 : Type::pred);
    step.c = d.source(--end, Type::pred);
    if (d.operand(end).negated) step.mode2 |= kNegated;
  }
  step.a = d.source(at++, Type::u32);
  if (at < end) {
    step.b = d.source(at++, Type::u32);
    step.mode2 |= kCounted;
  } else if (what == 1) {
    d.refuse("a number of threads is expected");
  }
  if (at != end) d.refuse("fewer operands are expected");
  return &block_barrier;
}

/// After this, copies and matrix instructions of any thread may read what the thread has stored.
void proxy_fence(Warp& warp, const Step&) {
  if (warp.checks) warp.block->proxied = join(warp.block->proxied, warp.released_by(warp.mask));
}

Handler fences(Decoder& d, Step& step) {
  if (d.is("membar")) {
    if (d.take("proxy")) {
      for (const std::string_view part : d.parts()) d.take(part);
      return &do_nothing;
    }
    const int level = d.take_one({"cta", "gl", "sys"});
    if (level < 0) d.refuse("'.cta', '.gl' or '.sys' is expected");
    step.scope = level == 0 ? Scope::cta : Scope::gpu;
    return &fence;
  }
  if (d.has("proxy") || d.has("mbarrier_init")) {
    const bool async = std::any_of(d.parts().begin(), d.parts().end(),
                                   [](std::string_view part) { return part.starts_with("async"); });
    for (const std::string_view part : d.parts()) d.take(part);
    return async ? &proxy_fence : &do_nothing;
  }
  d.take_one({"sc", "acq_rel", "acquire", "release"});
  d.take_one({"sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
  const int scope = d.take_one({"cta", "cluster", "gpu", "sys"});
  if (scope < 0) d.refuse("a scope is expected");
  step.scope = static_cast<Scope>(std::min(scope, 2));
  return &fence;
}

}  // namespace

Handler barrier_group(Decoder& d, Step& step) {
  if (d.is("membar") || d.is("fence")) return fences(d, step);
  if ((!d.is("bar") && !d.is("barrier")) || d.has("cluster")) return nullptr;
  if (!d.take("warp")) return barrier(d, step);
  d.need(1);
  if (!d.take("sync")) d.refuse("'.sync' is expected");
  step.a = d.source(0, Type::b32);
  return &warp_barrier;
}

}  // namespace parity::ptx
