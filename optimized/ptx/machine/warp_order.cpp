// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Clocks of a warp's lanes: what they publish and learn.
#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {

uint32_t Warp::number() const { return block->number << kWarpBits | index; }

Known Warp::released(uint32_t lane) { return released_by(1U << lane); }

Known Warp::released_by(Mask lanes) {
  Gathering gathering(block->number, worker->machine.warps_per_block * kLanes);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(lanes, lane)) continue;
    gathering.add(order->known[lane]);
    gathering.add(thread_of(lane), order->clock[lane]++);
  }
  return gathering.take();
}

void Warp::acquire(uint32_t lane, const Known& known) {
  if (known == nullptr) return;
  Known& mine = order->known[lane];
  if (mine == nullptr && known->home == block->number) {
    mine = known;
    return;
  }
  Gathering gathering(block->number, worker->machine.warps_per_block * kLanes);
  gathering.add(mine);
  gathering.add(known);
  mine = gathering.take();
}

/// Source: PTX ISA 9.0, section 8.8: after a fence, the thread knows what its strong reads before the fence saw; its
/// strong writes after the fence publish what it knew before.
void Warp::fence(Scope scope) {
  if (!checks) return;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(mask, lane)) continue;
    auto& pending = order->pending[lane];
    acquire(lane, pending[0]);
    pending[0] = nullptr;
    if (scope != Scope::cta) {
      acquire(lane, pending[1]);
      pending[1] = nullptr;
    }
    const Known now = released(lane);
    for (size_t level = 0; level <= static_cast<size_t>(scope); ++level) order->fenced[lane][level] = now;
  }
}

}  // namespace parity::ptx
