// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Barriers of a cluster, and addresses of its blocks' shared memory. Source: PTX ISA 9.0, sections 9.7.9 and 9.7.13.4.
#include <bit>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

void arrive_at_cluster(Warp& warp, const Step& step) {
  Gang& gang = *warp.block->gang;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(warp.mask, l)) continue;
    if (warp.cluster_phase[l] > gang.cluster_phase)
      warp.find(Finding::Kind::bad_barrier, step, l, "arrives twice at the barrier of the cluster without a wait");
    warp.cluster_phase[l] = gang.cluster_phase + 1;
  }
  if (warp.checks && step.mode == 0) gang.cluster_arriving = join(gang.cluster_arriving, warp.released_by(warp.mask));
  gang.cluster_arrived += static_cast<uint32_t>(std::popcount(warp.mask));
  if (gang.cluster_arrived >= gang.live()) gang.complete_cluster();
}

void wait_for_cluster(Warp& warp, const Step& step) {
  const Gang& gang = *warp.block->gang;
  bool done = true;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(warp.mask, l)) continue;
    done = done && warp.cluster_phase[l] <= gang.cluster_phase;
    if (warp.cluster_phase[l] == 0)
      warp.find(Finding::Kind::bad_barrier, step, l, "waits at the barrier of the cluster without an arrival");
  }
  if (!done) {
    warp.wait(Fragment::State::cluster, warp.pc + 1);
    return;
  }
  for (uint32_t l = 0; warp.checks && l < kLanes; ++l) {
    if (has_lane(warp.mask, l)) warp.acquire(l, gang.cluster_known);
  }
}

/// An address of the own block's shared memory becomes that of the same place in another block.
template <class U, bool generic>
void map(Warp& warp, const Step& step) {
  const U* a = warp.at<U>(step.a);
  const auto* rank = warp.at<uint32_t>(step.b);
  U values[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint64_t offset = static_cast<uint64_t>(a[l]) & kSharedOffset;
    values[l] = static_cast<U>((generic ? kSharedWindow : 0) | uint64_t{rank[l] + 1} << kRankShift | offset);
  }
  put(warp, step.d, values);
}

template <class U>
void rank_of(Warp& warp, const Step& step) {
  const U* a = warp.at<U>(step.a);
  uint32_t values[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint32_t rank = static_cast<uint32_t>(a[l]) >> kRankShift;
    values[l] = rank == 0 ? warp.block->rank : rank - 1;
  }
  put(warp, step.d, values);
}

Handler mapa(Decoder& d, Step& step) {
  d.need(3);
  const bool shared = d.take("shared::cluster");
  const Type type = d.take_type();
  step.d = d.destination(0, type);
  step.a = d.source(1, type);
  step.b = d.source(2, Type::u32);
  if (bytes_of(type) == 8) return shared ? &map<uint64_t, false> : &map<uint64_t, true>;
  if (!shared) d.refuse("'.shared::cluster' is expected of 32 bits");
  return &map<uint32_t, false>;
}

}  // namespace

Handler cluster_group(Decoder& d, Step& step) {
  if (d.is("mapa")) return mapa(d, step);
  if (d.is("getctarank")) {
    d.need(2);
    d.take("shared::cluster");
    const Type type = d.take_type();
    step.d = d.destination(0, Type::u32);
    step.a = d.source(1, type);
    return bytes_of(type) == 8 ? &rank_of<uint64_t> : &rank_of<uint32_t>;
  }
  if (!d.is("barrier") || !d.take("cluster")) return nullptr;
  d.need(0);
  d.take("aligned");
  d.take_one({"acquire", "release"});
  step.mode = d.take("relaxed") ? 1 : 0;
  if (d.take("arrive")) return &arrive_at_cluster;
  if (d.take("wait")) return &wait_for_cluster;
  return nullptr;
}

}  // namespace parity::ptx
