// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Bulk copies are carried out when something waits for them: their mbarrier, their group, or the end of the kernel.
#include <algorithm>

#include "optimized/ptx/instructions/arrival.hpp"
#include "optimized/ptx/instructions/async.hpp"

namespace parity::ptx {
namespace {

const uint8_t* source_of(const PendingBulk& bulk, const BulkPiece& piece) {
  if (bulk.from != nullptr) return bulk.from->shared.data() + piece.source;
  const Allocation* found = bulk.warp->worker->machine.device.nearest(piece.source);
  return found->data.get() + (piece.source - found->base);
}

void stop_reading(const PendingBulk& bulk, const BulkPiece& piece) {
  if (bulk.from == nullptr || !bulk.warp->checks) return;
  const uint64_t last = (piece.source + piece.bytes - 1) / Block::kReadUnit;
  for (uint64_t unit = piece.source / Block::kReadUnit; unit <= last; ++unit) --bulk.from->readers[unit];
}

void append_fill(PendingBulk& bulk, const BulkPiece& piece) {
  for (uint32_t i = 0; i < piece.bytes; ++i)
    bulk.snapshot.push_back(static_cast<uint8_t>(bulk.fill >> (8 * (i % bulk.fill_bytes))));
}

void write_piece(const PendingBulk& bulk, const BulkPiece& piece, const uint8_t* from) {
  Machine& machine = bulk.warp->worker->machine;
  uint8_t* to = nullptr;
  if (bulk.to != nullptr) {
    to = bulk.to->shared.data() + piece.target;
    if (bulk.warp->checks) std::fill_n(bulk.to->state.data() + piece.target, piece.bytes, uint8_t{Mark::written});
  } else {
    Allocation* found = machine.device.nearest(piece.target);
    to = found->data.get() + (piece.target - found->base);
  }
  if (bulk.combine == nullptr) {
    std::memcpy(to, from, piece.bytes);
    return;
  }
  const bool locked = machine.locked() && bulk.to == nullptr;
  if (locked) machine.locks.lock(~uint64_t{0});
  bulk.combine(to, from, piece.bytes);
  if (locked) machine.locks.unlock(~uint64_t{0});
}

void carry_out(PendingBulk& bulk) {
  read_source(bulk);
  const uint8_t* from = bulk.snapshot.data();
  for (const BulkPiece& piece : bulk.pieces) {
    write_piece(bulk, piece, from);
    from += piece.bytes;
  }
  if (bulk.barrier_block == nullptr) return;
  const auto barrier = bulk.barrier_block->arrival_barriers.find(bulk.barrier);
  if (barrier == bulk.barrier_block->arrival_barriers.end()) return;
  barrier->second.bytes -= bulk.bytes;
  if (bulk.warp->checks) barrier->second.arriving = join(barrier->second.arriving, bulk.known);
  settle(barrier->second);
}

}  // namespace

void read_source(PendingBulk& bulk) {
  if (bulk.read) return;
  for (const BulkPiece& piece : bulk.pieces) {
    if (piece.filled) {
      append_fill(bulk, piece);
      continue;
    }
    const uint8_t* from = source_of(bulk, piece);
    bulk.snapshot.insert(bulk.snapshot.end(), from, from + piece.bytes);
    stop_reading(bulk, piece);
  }
  bulk.read = true;
}

void carry_out_those(Gang& gang, const std::function<bool(const PendingBulk&)>& which) {
  std::vector<PendingBulk> now, later;
  for (PendingBulk& bulk : gang.bulks) (which(bulk) ? now : later).push_back(std::move(bulk));
  gang.bulks = std::move(later);
  for (PendingBulk& bulk : now) carry_out(bulk);
}

bool carry_out_one(Gang& gang) {
  if (gang.bulks.empty()) return false;
  PendingBulk bulk = std::move(gang.bulks.front());
  gang.bulks.erase(gang.bulks.begin());
  carry_out(bulk);
  return true;
}

void finish_copies(Gang& gang) {
  while (carry_out_one(gang)) continue;
}

void carry_out_for(Gang& gang, const Block& block, uint32_t barrier) {
  carry_out_those(gang, [&](const PendingBulk& b) { return b.barrier_block == &block && b.barrier == barrier; });
}

}  // namespace parity::ptx
