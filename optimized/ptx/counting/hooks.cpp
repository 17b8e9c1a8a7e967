// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/hooks.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "optimized/ptx/counting/banks.hpp"
#include "optimized/ptx/counting/counting.hpp"

namespace parity::ptx {
namespace {

Tally& tally_of(const Warp& warp, const Step& step) { return warp.worker->counting->of(*warp.frame->code, step); }

Traffic traffic_of(const Step& step, Intent intent) {
  if (intent == Intent::update) return Traffic::atomic;
  if (intent == Intent::write) return Traffic::store;
  return step.kind == Kind::async ? Traffic::async : Traffic::load;
}

/// Blocks of a cluster have banks of their own.
WavefrontCount of_homes(const Lanes& lanes, Mask mask, uint32_t bytes, bool apart) {
  WavefrontCount sum;
  while (mask != 0) {
    const Block* home = lanes.home[static_cast<uint32_t>(std::countr_zero(mask))];
    Mask here = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      here |= Mask{has_lane(mask, lane) && lanes.home[lane] == home} << lane;
    sum += wavefronts(lanes.address, here, bytes, apart);
    mask &= ~here;
  }
  if (sum.requests > 1) sum.requests = 1;
  return sum;
}

/// Each sector once, though several pieces may touch it.
std::vector<Sector> sectors_of(const PendingBulk& bulk, bool to_global) {
  std::map<uint64_t, uint32_t> touched;
  for (const BulkPiece& piece : bulk.pieces) {
    if (piece.filled) continue;
    const uint64_t begin = to_global ? piece.target : piece.source, end = begin + piece.bytes;
    for (uint64_t at = begin; at < end;) {
      const uint64_t next = std::min(end, (at / kSectorBytes + 1) * kSectorBytes);
      touched[at / kSectorBytes] |= static_cast<uint32_t>(((uint64_t{1} << (next - at)) - 1) << at % kSectorBytes);
      at = next;
    }
  }
  std::vector<Sector> sectors;
  for (const auto& [number, bytes] : touched) sectors.push_back({number, bytes});
  return sectors;
}

}  // namespace

void count_access(const Warp& warp, const Step& step, const Lanes& lanes, Mask mask, uint32_t bytes, Intent intent) {
  if (warp.worker->counting == nullptr || mask == 0) return;
  Tally& tally = tally_of(warp, step);
  const Mask global = lanes.global & mask, shared = lanes.shared & mask, local = lanes.local & mask;
  if (global != 0) {
    const Sectors sectors(lanes.address, global, bytes);
    warp.worker->counting->global(tally, traffic_of(step, intent), sectors.all(), sectors.count());
  }
  if (shared != 0) tally.shared += of_homes(lanes, shared, bytes, intent == Intent::update);
  if (local != 0) tally.local += local_sectors(lanes.address, local, bytes);
}

void count_bulk(const Warp& warp, const PendingBulk& bulk) {
  if (warp.worker->counting == nullptr) return;
  const Step& step = warp.step_at(*warp.frame, warp.pc);
  const bool from_global = bulk.from == nullptr, to_global = bulk.to == nullptr;
  if ((from_global && !bulk.again) || to_global) {
    const Traffic traffic = bulk.combine != nullptr ? Traffic::atomic
                            : to_global             ? Traffic::bulk_store
                                                    : Traffic::bulk_load;
    const std::vector<Sector> sectors = sectors_of(bulk, to_global);
    warp.worker->counting->global(tally_of(warp, step), traffic, sectors, as_request(sectors));
  }
  // A copy between blocks reads the shared memory of one block and writes that of the other.
  count_shared_bytes(warp, step, uint64_t{bulk.bytes} * (from_global || to_global ? 1 : 2));
}

void count_shared_bytes(const Warp& warp, const Step& step, uint64_t bytes) {
  if (warp.worker->counting == nullptr) return;
  const uint64_t least = (bytes + kWavefrontBytes - 1) / kWavefrontBytes;
  if (bytes != 0) tally_of(warp, step).shared += WavefrontCount{1, least, least};
}

void count_products(const Warp& warp, const Step& step, const TensorShape& shape) {
  if (warp.worker->counting == nullptr) return;
  Tally& tally = tally_of(warp, step);
  if (tally.shape.empty()) tally.shape = fmt::format("{} m{}n{}k{}", shape.type, shape.m, shape.n, shape.k);
  tally.multiply_adds += uint64_t{shape.m} * shape.n * shape.k / shape.warps;
}

}  // namespace parity::ptx
