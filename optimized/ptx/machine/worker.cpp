// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which block runs when: one block for as long as it progresses, and others beside it when it waits for them.
#include <algorithm>
#include <bit>
#include <thread>

#include "core/random.hpp"
#include "optimized/ptx/instructions/async.hpp"
#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kTurn = 4096;        // steps of a warp until the next one has its turn
constexpr uint32_t kIdleRounds = 2000;  // rounds in which nobody gets on until it counts as a deadlock
constexpr uint64_t kPatience = 16;      // passes in which no block ends until one more begins
constexpr uint32_t kRoundsInARow = 64;  // of a block, while others are alive

const char* what_of(Fragment::State state, bool polls) {
  switch (state) {
    case Fragment::State::aligning:
      return "waits for ever for the rest of its warp at a barrier";
    case Fragment::State::meeting:
      return "waits for ever for lanes of its warp";
    case Fragment::State::barrier:
      return "waits for ever at a barrier";
    case Fragment::State::cluster:
      return "waits for ever at the barrier of the cluster";
    case Fragment::State::ready:
      return polls ? "polls for ever" : "runs for ever: the launch has exceeded its limit of instructions";
  }
  return "";
}

}  // namespace

Worker::Worker(Machine& of, uint64_t number) : machine(of), random(number << 40U) {
  for (const Code& code : machine.program.codes()) counts.emplace_back(code.steps.size(), 0);
  if (machine.options.counters)
    counting = std::make_unique<Counting>(machine.program, machine.device, machine.sampled.empty());
}

uint32_t Worker::draw(uint32_t below) {
  return static_cast<uint32_t>(Random(machine.options.seed, "schedule").below(random++, below));
}

bool Worker::begin_gang() {
  const uint64_t next = machine.next_gang.fetch_add(1);
  if (next >= machine.gangs) return false;
  const uint64_t number = machine.sampled.empty() ? next : machine.sampled[next];
  std::unique_ptr<Gang> gang;
  if (spare.empty()) {
    gang = std::make_unique<Gang>();
    for (uint64_t i = 0; i < machine.cluster.count(); ++i) gang->blocks.push_back(std::make_unique<Block>());
  } else {
    gang = std::move(spare.back());
    spare.pop_back();
  }
  gang->worker = this;
  gang->cluster_phase = gang->cluster_arrived = 0;
  gang->cluster_arriving = gang->cluster_known = nullptr;
  gang->bulks.clear();
  const auto size = static_cast<uint32_t>(gang->blocks.size());
  for (uint32_t rank = 0; rank < size; ++rank)
    gang->blocks[rank]->start(*gang, static_cast<uint32_t>(number) * size + rank, rank);
  gangs.push_back(std::move(gang));
  return true;
}

Worker::Round Worker::round(Gang& gang) {
  bool ran = false, polled = false;
  const bool seeded = machine.options.seed != 0;
  for (const auto& block : gang.blocks) {
    const auto count = static_cast<uint32_t>(block->warps.size());
    const uint32_t first = seeded ? draw(count) : 0;
    for (uint32_t i = 0; i < count && !machine.stop.load(std::memory_order_relaxed); ++i) {
      Warp& warp = *block->warps[(first + i) % count];
      if (warp.live == 0) continue;
      const uint64_t before = warp.executed;
      const Warp::Turn turn = warp.turn(seeded ? 1 + draw(256) : kTurn);
      machine.executed.fetch_add(warp.executed - before, std::memory_order_relaxed);
      ran = ran || turn == Warp::Turn::ran || turn == Warp::Turn::done;
      polled = polled || turn == Warp::Turn::polled;
    }
  }
  if (gang.done()) return Round::done;
  if (ran) return Round::ran;
  if (settle(gang)) return Round::ran;
  if (!polled && part_aligned(gang)) return Round::ran;
  if (!polled && !machine.stop) {
    report_deadlock();
    return Round::done;
  }
  return Round::polled;
}

/// Lets something happen when no warp of the blocks can continue by itself.
bool Worker::settle(Gang& gang) {
  if (carry_out_one(gang)) return true;
  if (gang.cluster_arrived > 0 && gang.cluster_arrived >= gang.live()) {
    gang.complete_cluster();
    return true;
  }
  for (const auto& block : gang.blocks) {
    for (uint32_t id = 0; id < block->barriers.size(); ++id) {
      const NamedBarrier& barrier = block->barriers[id];
      if (barrier.counted || barrier.arrived == 0 || barrier.arrived != block->live) continue;
      const Arrival& first = barrier.arrivals.front();
      first.warp->find(Finding::Kind::early_exit, *first.step, static_cast<uint32_t>(std::countr_zero(first.mask)),
                       fmt::format("{} of {} threads of the block have exited and never reach this barrier",
                                   block->threads - block->live, block->threads));
      block->complete(id);
      return true;
    }
  }
  return false;
}

/// Lets lanes at an aligned barrier continue without the rest of their warp, which waits for something that never
/// comes.
bool Worker::part_aligned(Gang& gang) {
  bool any = false;
  for (const auto& block : gang.blocks) {
    for (const auto& warp : block->warps) {
      const bool aligns = std::any_of(warp->fragments.begin(), warp->fragments.end(),
                                      [](const Fragment& f) { return f.state == Fragment::State::aligning; });
      any = any || (aligns && !warp->diverged);
      warp->diverged = warp->diverged || aligns;
    }
  }
  return any;
}

void Worker::report_deadlock(bool polls) {
  for (const auto& gang : gangs) {
    for (const auto& block : gang->blocks) {
      for (const auto& warp : block->warps) {
        for (const Fragment& f : warp->fragments) {
          const bool meets = f.state != Fragment::State::barrier && f.state != Fragment::State::cluster;
          const Step& step = warp->step_at(*f.frame, meets ? f.pc : f.pc - 1);
          const auto lane = static_cast<uint32_t>(std::countr_zero(f.mask));
          if (f.state == Fragment::State::meeting) {
            warp->find(Finding::Kind::warp_divergence, step, lane,
                       fmt::format("lanes {:08x} wait for lanes {:08x}, which never come", f.mask,
                                   f.members & warp->live & ~f.mask));
          } else {
            warp->find(Finding::Kind::deadlock, step, lane,
                       fmt::format("warp {} lanes {:08x}: {}", warp->index, f.mask, what_of(f.state, polls)));
          }
        }
      }
    }
  }
  machine.stop = true;
}

void Worker::end_gang(size_t index) {
  finish_copies(*gangs[index]);
  spare.push_back(std::move(gangs[index]));
  gangs.erase(gangs.begin() + static_cast<int64_t>(index));
}

bool Worker::all_gangs_once() {
  bool any = false;
  for (size_t i = 0; i < gangs.size() && !machine.stop;) {
    Round result = Round::ran;
    for (uint32_t k = 0; k < kRoundsInARow && result == Round::ran && !machine.stop; ++k) {
      result = round(*gangs[i]);
      if (result == Round::polled) break;
      any = true;
      machine.progress.fetch_add(1);
    }
    if (machine.executed.load(std::memory_order_relaxed) > machine.options.most_instructions) {
      report_deadlock(false);
      return true;
    }
    if (result == Round::done && !machine.stop) {
      end_gang(i);
    } else {
      ++i;
    }
  }
  return any;
}

void Worker::run() {
  uint64_t seen = 0;
  uint32_t idle = 0;
  uint64_t unfinished = 0;
  bool stalled = false;
  const uint64_t most = std::max<uint64_t>(1, machine.options.resident / machine.workers / machine.cluster.count());
  const auto say_stalled = [&](bool now) {
    if (now != stalled) machine.stalled += now ? 1U : ~0U;
    stalled = now;
  };
  while (!machine.stop) {
    if (gangs.empty() && !begin_gang()) break;
    const size_t before = gangs.size();
    if (all_gangs_once()) {
      idle = 0;
      say_stalled(false);
      // A waiting loop that is not recognised as one must not keep the threads that it waits for from running.
      unfinished = gangs.size() < before ? 0 : unfinished + 1;
      if (unfinished > kPatience * gangs.size() && gangs.size() < most && begin_gang()) unfinished = 0;
      continue;
    }
    if (gangs.size() < most && begin_gang()) continue;
    const uint64_t progress = machine.progress.load();
    idle = progress == seen ? idle + 1 : 0;
    seen = progress;
    say_stalled(idle > kIdleRounds);
    if (idle > 2 * kIdleRounds && machine.stalled == machine.running) {
      bool parted = false;
      for (const auto& gang : gangs) parted = part_aligned(*gang) || parted;
      if (!parted) report_deadlock();
    }
    if (machine.locked()) std::this_thread::yield();
  }
  say_stalled(false);
  --machine.running;
}

}  // namespace parity::ptx
