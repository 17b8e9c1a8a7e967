// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// mbarrier: barriers in shared memory that count arrivals and bytes. Source: PTX ISA 9.0, section 9.7.13.15.
#include "optimized/ptx/instructions/arrival.hpp"

#include <bit>

#include "optimized/ptx/instructions/async.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/memory.hpp"

namespace parity::ptx {
namespace {

enum What : uint8_t { init, invalidate, arrive, arrive_expect, arrive_drop, expect, complete };

constexpr uint32_t kBarrierBytes = 8;
constexpr uint32_t kMostArrivals = (1U << 20U) - 1;

/// The state that arrive returns and test_wait takes: the number of the phase.
uint64_t state_of(const ArrivalBarrier& barrier) { return barrier.phase; }

/// Whether all that the maker of an mbarrier knew when it initialised it is known to a thread of the same block.
bool follows(const Known& mine, const Known& made, uint32_t thread) {
  for (uint32_t other = 0; other < made->own->size(); ++other) {
    const uint32_t time = (*made->own)[other];
    if (other != thread && time > 0 && !knows(mine, made->home, other, time)) return false;
  }
  return true;
}

/// A thread that uses an mbarrier must know what its maker knew, in any phase: it might have run before the maker.
void require_made(Warp& warp, const Step& step, uint32_t lane, const ArrivalBarrier& barrier) {
  if (!warp.checks || barrier.made == nullptr) return;
  if (barrier.made->home != warp.block->number) return;  // of a cluster: ordered by a barrier of it
  if (!follows(warp.order->known[lane], barrier.made, warp.thread_of(lane)))
    warp.find(Finding::Kind::race, step, lane, "an mbarrier is used without an order after its initialisation");
}

/// The bytes of the mbarrier in shared memory count as written; the machine keeps the state of the mbarrier elsewhere.
ArrivalBarrier* object(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane) {
  auto& all = lanes.home[lane]->arrival_barriers;
  const auto found = all.find(static_cast<uint32_t>(lanes.address[lane]));
  if (found != all.end()) {
    require_made(warp, step, lane, found->second);
    return &found->second;
  }
  warp.find(Finding::Kind::bad_barrier, step, lane,
            fmt::format("no mbarrier was initialised at shared offset {}", lanes.address[lane] - kSharedStart));
  return nullptr;
}

void one_lane(Warp& warp, const Step& step, const Lanes& lanes, uint32_t l) {
  const auto what = static_cast<What>(step.mode);
  const auto at = static_cast<uint32_t>(lanes.address[l]);
  auto& all = lanes.home[l]->arrival_barriers;
  const uint32_t operand = warp.at<uint32_t>(step.b)[l];
  if (what == init) {
    if (operand == 0 || operand > kMostArrivals)
      warp.find(Finding::Kind::bad_barrier, step, l,
                fmt::format("an mbarrier is initialised for {} arrivals; it must be 1 to {}", operand, kMostArrivals));
    all[at] = ArrivalBarrier{operand, operand, operand, 0, 0, nullptr, nullptr, nullptr};
    if (!warp.checks) return;
    all[at].made = warp.released(l);
    // Accesses to the mbarrier itself do not race, because threads synchronise by it.
    std::fill_n(lanes.home[l]->state.data() + at, kBarrierBytes, uint8_t{Mark::written});
    return;
  }
  ArrivalBarrier* barrier = object(warp, step, lanes, l);
  if (barrier == nullptr) return;
  if (what == invalidate) {
    all.erase(at);
    return;
  }
  const bool arrives = what == arrive || what == arrive_expect || what == arrive_drop;
  const uint64_t state = state_of(*barrier);
  if (what == expect || what == arrive_expect) barrier->bytes += operand;
  if (what == complete) barrier->bytes -= operand;
  if (warp.checks && arrives) barrier->arriving = join(barrier->arriving, warp.released(l));
  const uint32_t count = what == arrive || what == arrive_drop ? operand : 1;
  if (arrives && count > barrier->pending) {
    warp.find(Finding::Kind::bad_barrier, step, l,
              fmt::format("{} arrivals, but only {} are still expected in this phase", count, barrier->pending));
  } else if (arrives) {
    barrier->pending -= count;
  }
  if (what == arrive_drop) barrier->next_expected -= std::min(count, barrier->next_expected);
  warp.at<uint64_t>(step.d)[l] = state;
  settle(*barrier);
}

void operate(Warp& warp, const Step& step) {
  Lanes lanes;
  addresses(warp, step, lanes);
  const Mask ok = reach_in(warp, step, lanes, kBarrierBytes, Intent::write, step.space);
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (has_lane(ok & lanes.shared, l)) one_lane(warp, step, lanes, l);
  }
}

/// test_wait and try_wait: by the state that arrive returned, or the parity of the phase.
void wait(Warp& warp, const Step& step) {
  Lanes lanes;
  addresses(warp, step, lanes);
  const Mask ok = reach_in(warp, step, lanes, kBarrierBytes, Intent::write, step.space);
  Mask passed = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(ok & lanes.shared, l)) continue;
    ArrivalBarrier* barrier = object(warp, step, lanes, l);
    if (barrier == nullptr) continue;
    const auto over = [&] {
      if (step.mode == 0) return barrier->phase != warp.at<uint64_t>(step.b)[l];
      return (barrier->phase & 1U) != (warp.at<uint32_t>(step.b)[l] & 1U);
    };
    if (!over()) carry_out_for(*warp.block->gang, *lanes.home[l], static_cast<uint32_t>(lanes.address[l]));
    if (!over()) continue;
    passed |= 1U << l;
    if (warp.checks) warp.acquire(l, barrier->completed);
  }
  put_predicate(warp, step.d, passed);
  warp.spinning &= ~passed;
  if ((warp.mask & ~passed) != 0) warp.poll_in_vain();
}

Handler waits_of(Decoder& d, Step& step) {
  const bool parity = d.take("parity");
  d.take_one({"test_wait", "try_wait"});
  d.take_one({"acquire", "relaxed"});
  d.take_one({"cta", "cluster"});
  if (d.operands() < 3 || d.operands() > 4) d.refuse("three operands, or four with a time, are expected");
  step.mode = parity ? 1 : 0;
  step.d = d.destination(0, Type::pred);
  d.address(step, d.operand(1));
  step.b = d.source(2, parity ? Type::u32 : Type::b64);
  if (d.operands() == 4) static_cast<void>(d.source(3, Type::u32));
  return &wait;
}

Handler operations(Decoder& d, Step& step) {
  const bool expects = d.take("expect_tx");
  if (d.take("init")) {
    step.mode = init;
  } else if (d.take("inval")) {
    step.mode = invalidate;
  } else if (d.take("arrive")) {
    step.mode = expects ? arrive_expect : arrive;
  } else if (d.take("arrive_drop")) {
    if (expects) d.refuse("'.expect_tx' is not known here");
    step.mode = arrive_drop;
  } else if (d.take("complete_tx")) {
    step.mode = complete;
  } else if (expects) {
    step.mode = expect;
  } else {
    d.refuse("this operation is not known");
  }
  d.take("noComplete");
  d.take_one({"release", "relaxed"});
  d.take_one({"cta", "cluster"});
  size_t at = 0;
  if (d.operand(0).kind != Operand::Kind::address) step.d = d.destination(at++, Type::b64);
  d.address(step, d.operand(at++));
  step.b = at < d.operands() ? d.source(at++, Type::u32) : d.constant(1, 4);
  d.need(at);
  return &operate;
}

}  // namespace

void settle(ArrivalBarrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.expected = barrier.pending = barrier.next_expected;
  barrier.completed = std::move(barrier.arriving);
  barrier.arriving = nullptr;
}

Handler arrival_group(Decoder& d, Step& step) {
  if (!d.is("mbarrier")) return nullptr;
  step.space = take_space(d);
  step.width = kBarrierBytes;
  if (step.space == Space::global || step.space == Space::local) d.refuse("shared memory is expected");
  if (d.has("test_wait") || d.has("try_wait")) {
    const Handler found = waits_of(d, step);
    d.take("b64");
    return found;
  }
  const Handler found = operations(d, step);
  d.take("b64");
  return found;
}

}  // namespace parity::ptx
