// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/machine/warp.hpp"

#include <algorithm>
#include <bit>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kSlice = 512;         // steps after which other fragments of the warp have their turn
constexpr uint64_t kLongLoop = 100'000;  // steps between polls: a computation, not a loop that waits
constexpr uint32_t kPollsPatiently = 4;  // looks at the same value before others have their turn

enum Tired : uint8_t { fresh, sliced, polled };

}  // namespace

void Warp::start(const Code& code, Mask lanes) {
  initial = live = lanes;
  executed = 0;
  fragments.clear();
  copies.clear();
  matrices.clear();
  matrix_group = 0;
  fence_epoch = 1;
  copy_group.fill(0);
  bulk_group.fill(0);
  clock = 0;
  carry = 0;
  diverged = false;
  spinning = 0;
  cluster_phase.fill(0);
  for (auto& used : frames_) spare_.push_back(std::move(used));
  frames_.clear();
  checks = worker->machine.options.checks;
  polled_ = nullptr;
  local_written.assign(local_written.size(), 0);
  if (checks) {
    order = std::make_unique<LaneOrder>();
    order->clock.fill(1);
  }
  Frame& first = make_frame(code, nullptr, lanes);
  if (lanes != 0) fragments.push_back({&first, 0, lanes});
}

Warp::Turn Warp::turn(uint64_t steps) {
  bool ran = false;
  for (Fragment& fragment : fragments) fragment.tired = fresh;
  while (steps > 0 && !worker->machine.stop.load(std::memory_order_relaxed)) {
    if (!pick()) break;
    polling = false;
    const bool counted = worker->counting != nullptr;
    (this->*(checks    ? counted ? &Warp::execute<true, true> : &Warp::execute<true, false>
                : counted ? &Warp::execute<false, true>
                       : &Warp::execute<false, false>))(steps);
    ran = ran || progressed_;
  }
  if (live == 0) return Turn::done;
  if (ran) return Turn::ran;
  const bool can = std::any_of(fragments.begin(), fragments.end(),
                               [&](const Fragment& f) { return f.state == Fragment::State::ready; });
  return can ? Turn::polled : Turn::waits;
}

/// Lanes at an aligned barrier continue when all lanes of the warp are there, or when the rest of the warp waits
/// elsewhere.
void Warp::release_aligned() {
  bool others = false;
  for (const Fragment& f : fragments) {
    if (f.state == Fragment::State::ready || (f.state == Fragment::State::meeting && satisfied(f))) others = true;
    if (f.state != Fragment::State::aligning) continue;
    Mask there = 0;
    const auto beside = [&](const Fragment& g) {
      return g.state == Fragment::State::aligning && g.frame == f.frame && g.pc == f.pc;
    };
    for (const Fragment& g : fragments) there |= beside(g) ? g.mask : 0;
    if (there == live) {
      for (Fragment& g : fragments) g.state = Fragment::State::ready;  // they are all
      return;
    }
  }
  if (others && !diverged) return;
  for (Fragment& f : fragments) {
    if (f.state != Fragment::State::aligning) continue;
    f.state = Fragment::State::ready;
    diverged = true;
  }
}

void Warp::join_ready(Fragment& chosen) {
  frame = chosen.frame;
  pc = chosen.pc;
  current = 0;
  limit_ = ~uint32_t{0};
  std::erase_if(fragments, [&](const Fragment& f) {
    if (f.frame != frame || f.pc != pc || f.state != Fragment::State::ready) return false;
    current |= f.mask;
    return true;
  });
  for (const Fragment& f : fragments) {
    if (f.frame == frame && f.pc > pc && f.state == Fragment::State::ready) limit_ = std::min(limit_, f.pc);
  }
  registers = frame->file.get();
}

/// Lanes meet again soonest if those in the deepest call run first, and among them those farthest back in the code.
bool Warp::pick() {
  release_aligned();
  for (Fragment& f : fragments) {  // one of a meeting: it takes the others with it
    if (f.state != Fragment::State::meeting || !satisfied(f)) continue;
    f.state = Fragment::State::ready;
    break;
  }
  for (const Tired limit : {fresh, sliced}) {
    Fragment* best = nullptr;
    uint32_t ready = 0;
    const bool drawn = worker->machine.options.seed != 0 && worker->draw(3) == 0;
    for (Fragment& f : fragments) {
      if (f.state != Fragment::State::ready || f.tired > limit) continue;
      ++ready;
      const bool better = best == nullptr || (drawn ? worker->draw(ready) == 0
                                                    : f.frame->depth > best->frame->depth ||
                                                          (f.frame->depth == best->frame->depth && f.pc < best->pc));
      if (better) best = &f;
    }
    if (best == nullptr) continue;
    if (limit == sliced) {
      for (Fragment& f : fragments) f.tired = f.tired == sliced ? uint8_t{fresh} : f.tired;
    }
    join_ready(*best);
    return true;
  }
  return false;
}

template <bool checked, bool counted>
void Warp::execute(uint64_t& steps) {
  const Step* const all = frame->code->steps.data();
  uint64_t* const counts = worker->counts[frame->code->index].data();
  [[maybe_unused]] std::vector<Tally>* const tallies = counted ? &worker->counting->of(*frame->code) : nullptr;
  const bool seeded = worker->machine.options.seed != 0;
  const uint64_t slice = fragments.empty() ? steps : seeded ? 1 + worker->draw(64) : kSlice;
  uint64_t left = std::min(steps, slice);
  const uint64_t begun = left;
  const Mask lanes = current;
  parked = false;
  while (true) {
    const Step& step = all[pc];
    mask = current;
    if (step.guarded) {
      if constexpr (checked) check_reads(step, 1);  // the guard is the first of them
      const Mask guard = *at<Mask>(step.guard);
      mask &= step.negated ? ~guard : guard;
    }
    next = pc + 1;
    ++counts[pc];
    if constexpr (counted) (*tallies)[pc].lanes += static_cast<uint64_t>(std::popcount(mask));
    --left;
    if (mask != 0) {
      if constexpr (checked) {
        if (!step.partial) check_reads(step, step.read_count);
        if (!frame->held.empty()) step.holds ? check_product(step) : check_held(step);
        const uint32_t* written = frame->code->lists.data() + step.writes;
        for (uint32_t i = 0; i < step.write_count; ++i) frame->written[written[i]] |= mask;
      }
      step.run(*this, step);
    }
    if (parked) break;
    pc = next;
    if (pc >= limit_ || left == 0 || polling) break;
    if (left > kSlice && !fragments.empty()) left = kSlice;
  }
  executed += begun - left;
  if ((lanes & ~spinning) == 0 && (unseen_ += begun - left) > kLongLoop) spinning &= ~lanes;
  progressed_ = !polling && (lanes & ~spinning) != 0;
  steps -= std::min(steps, std::max<uint64_t>(1, begun - left));
  if (!parked)
    fragments.push_back({frame, pc, current, Fragment::State::ready, polling ? polled : left == 0 ? sliced : fresh});
}

void Warp::check_reads(const Step& step, uint32_t count) {
  const uint32_t* lists = frame->code->lists.data();
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t name = lists[step.reads + i];
    const Mask missing = mask & ~frame->written[name];
    if (missing == 0) continue;
    find(Finding::Kind::unwritten, step, static_cast<uint32_t>(std::countr_zero(missing)),
         fmt::format("register {} is read and was never written", frame->code->register_names[name]));
    frame->written[name] |= missing;
  }
}

void Warp::wait(Fragment::State state, uint32_t at_pc, uint32_t barrier, Mask members) {
  if (const Mask rest = current & ~mask; rest != 0) fragments.push_back({frame, pc + 1, rest});
  fragments.push_back({frame, at_pc, mask, state, fresh, members, barrier});
  parked = true;
  if (at_pc == pc) uncount();
}

/// The instruction in hand is executed again, with all of its lanes: the first attempt is not counted.
void Warp::uncount() {
  --worker->counts[frame->code->index][pc];
  if (worker->counting != nullptr)
    worker->counting->of(*frame->code)[pc].lanes -= static_cast<uint64_t>(std::popcount(mask));
}

void Warp::branch(uint32_t target) {
  const Mask rest = current & ~mask;
  if (rest == 0) {
    next = target;
    return;
  }
  if (worker->machine.options.seed != 0) {
    fragments.push_back({frame, target, mask});
    fragments.push_back({frame, pc + 1, rest});
    parked = true;
    return;
  }
  const bool forward = target > pc;
  fragments.push_back({frame, forward ? target : pc + 1, forward ? mask : rest});
  limit_ = std::min(limit_, fragments.back().pc);
  if (!forward) next = target;
  current = forward ? rest : mask;
}

void Warp::leave(Mask lanes) {
  live &= ~lanes;
  Gang& gang = *block->gang;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (has_lane(lanes, lane) && cluster_phase[lane] > gang.cluster_phase) --gang.cluster_arrived;
  }
  block->live -= static_cast<uint32_t>(std::popcount(lanes));
  for (Frame* f = frame; f != nullptr;) {
    Frame* const caller = f->caller;
    drop(f, lanes);
    f = caller;
  }
  current &= ~lanes;
  if (current == 0) parked = true;
}

void Warp::poll(const Step& step, uint64_t seen) {
  if (polled_ == &step && polled_value_ == seen) {
    if (++polls_ >= kPollsPatiently) poll_in_vain();
    return;
  }
  spinning &= ~mask;
  polled_ = &step;
  polled_value_ = seen;
  polls_ = 0;
}

}  // namespace parity::ptx
