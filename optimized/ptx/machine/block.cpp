// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/machine/block.hpp"

#include <algorithm>
#include <bit>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {

Dim block_at(const Machine& machine, uint32_t number) {
  const Dim &cluster = machine.cluster, &grid = machine.launch.grid;
  const auto size = static_cast<uint32_t>(cluster.count());
  const uint32_t gang = number / size, rank = number % size;
  const uint32_t across = grid.x / cluster.x, down = grid.y / cluster.y;
  return {gang % across * cluster.x + rank % cluster.x, gang / across % down * cluster.y + rank / cluster.x % cluster.y,
          gang / across / down * cluster.z + rank / cluster.x / cluster.y};
}

void Block::start(Gang& of, uint32_t block_number, uint32_t block_rank) {
  constexpr uint8_t kPoison = 0xFF;
  gang = &of;
  number = block_number;
  rank = block_rank;
  const Machine& machine = of.worker->machine;
  at = block_at(machine, number);
  threads = live = static_cast<uint32_t>(machine.launch.block.count());
  shared.assign(machine.shared_bytes, kPoison);
  if (machine.options.checks) {
    state.assign(machine.shared_bytes, Mark::unwritten);
    readers.assign(machine.shared_bytes / kReadUnit + 1, 0);
    proxied = nullptr;
    pages.clear();
    pages.resize(machine.shared_bytes / ShadowPage::kBytes + 1);
  }
  barriers = {};
  arrival_barriers.clear();
  while (warps.size() < machine.warps_per_block) warps.push_back(std::make_unique<Warp>());
  for (uint32_t i = 0; i < warps.size(); ++i) {
    Warp& warp = *warps[i];
    warp.block = this;
    warp.worker = of.worker;
    warp.index = i;
    const uint32_t lanes = std::min(threads - i * kLanes, kLanes);
    warp.start(machine.entry, lanes == kLanes ? kAllLanes : (1U << lanes) - 1);
  }
}

void Block::arrive(uint32_t barrier, uint32_t expected, bool counted, Arrival arrival) {
  NamedBarrier& here = barriers[barrier];
  Warp& warp = *arrival.warp;
  if (warp.checks) arrival.known = warp.released_by(arrival.mask);
  // An incomplete warp counts as a complete one when a barrier counts threads.
  here.arrived += counted && arrival.mask == warp.initial ? kLanes : static_cast<uint32_t>(std::popcount(arrival.mask));
  here.counted = counted;
  here.arrivals.push_back(std::move(arrival));
  if (here.arrived >= (counted ? expected : threads)) complete(barrier);
}

void Block::complete(uint32_t barrier) {
  NamedBarrier here = std::move(barriers[barrier]);
  barriers[barrier] = {};
  Gathering gathering(number, static_cast<uint32_t>(warps.size()) * kLanes);
  uint32_t count = 0;
  bool all = true, any = false;
  for (const Arrival& arrival : here.arrivals) {
    gathering.add(arrival.known);
    count += static_cast<uint32_t>(std::popcount(arrival.predicate & arrival.mask));
    all = all && (arrival.mask & ~arrival.predicate) == 0;
    any = any || (arrival.mask & arrival.predicate) != 0;
  }
  const Known known = gathering.take();
  for (const Arrival& arrival : here.arrivals) {
    if (!arrival.waits) continue;
    Warp& warp = *arrival.warp;
    for (uint32_t lane = 0; warp.checks && lane < kLanes; ++lane) {
      if (has_lane(arrival.mask, lane)) warp.order->known[lane] = known;
    }
    uint8_t* const registers = arrival.frame->file.get();
    if (arrival.step->mode == 1) {  // bar.red.popc
      auto* result = reinterpret_cast<uint32_t*>(registers + arrival.step->d);
      for (uint32_t lane = 0; lane < kLanes; ++lane) result[lane] = has_lane(arrival.mask, lane) ? count : result[lane];
    } else if (arrival.step->mode > 1) {
      auto* result = reinterpret_cast<Mask*>(registers + arrival.step->d);
      *result = (arrival.step->mode == 2 ? all : any) ? *result | arrival.mask : *result & ~arrival.mask;
    }
    for (Fragment& f : warp.fragments) {
      const bool waits = f.state == Fragment::State::barrier && f.barrier == barrier && (f.mask & arrival.mask) != 0;
      if (waits) f.state = Fragment::State::ready;
    }
  }
}

uint32_t Gang::live() const {
  uint32_t count = 0;
  for (const auto& block : blocks) count += block->live;
  return count;
}

void Gang::complete_cluster() {
  ++cluster_phase;
  cluster_arrived = 0;
  cluster_known = std::move(cluster_arriving);
  cluster_arriving = nullptr;
  for (const auto& block : blocks) {
    for (const auto& warp : block->warps) {
      for (Fragment& f : warp->fragments) {
        if (f.state != Fragment::State::cluster) continue;
        f.state = Fragment::State::ready;
        for (uint32_t lane = 0; warp->checks && lane < kLanes; ++lane) {
          if (has_lane(f.mask, lane)) warp->acquire(lane, cluster_known);
        }
      }
    }
  }
}

}  // namespace parity::ptx
