// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The ends of bulk copies: bounds and alignment; with checks races, unwritten bytes, fences.
#include <algorithm>

#include "optimized/ptx/counting/hooks.hpp"
#include "optimized/ptx/instructions/bulk.hpp"

namespace parity::ptx {

bool BulkEnd::aligned(uint64_t address, uint32_t bytes) const {
  if (address % unit == 0 && bytes % unit == 0) return true;
  warp.find(Finding::Kind::misaligned, step, lane,
            fmt::format("a bulk copy of {} bytes at 0x{:x}; both must be multiples of {}", bytes, address, unit));
  return false;
}

void BulkEnd::observe(const Lanes& lanes, uint32_t bytes) const {
  if (!warp.checks) return;
  const bool allowed = intent == Intent::write || observe_read(warp, step, lanes, lane, bytes);
  if (intent != Intent::read && allowed) observe_write(warp, step, lanes, lane, bytes, false);
}

bool BulkEnd::global(uint64_t address, uint32_t bytes) const {
  Machine& machine = warp.worker->machine;
  Allocation* found = machine.device.nearest(address);
  const bool inside = found != nullptr && !found->freed && address - found->base <= found->bytes &&
                      bytes <= found->bytes - (address - found->base) && !(found->read_only && intent != Intent::read);
  if (!aligned(address, bytes)) return false;
  if (!inside) {
    const bool freed = found != nullptr && found->freed;
    warp.find(freed ? Finding::Kind::use_after_free : Finding::Kind::out_of_bounds, step, lane,
              fmt::format("a bulk copy of {} global bytes at offset {} of {}", bytes,
                          found == nullptr ? address : address - found->base, found == nullptr ? 0 : found->bytes));
    return false;
  }
  Lanes lanes;
  lanes.address[lane] = address;
  lanes.allocation[lane] = found;
  lanes.global = 1U << lane;
  if (warp.checks && machine.locked()) {
    lanes.locks = &machine.locks;
    machine.locks.lock(~uint64_t{0});
    lanes.locked = ~uint64_t{0};
  }
  observe(lanes, bytes);
  return true;
}

Block* BulkEnd::shared(uint64_t address, uint32_t bytes) const {
  if (window_of(address) == kSharedWindow) address -= kSharedWindow;
  const auto& blocks = warp.block->gang->blocks;
  const uint64_t rank = address >> kRankShift, offset = address & kSharedOffset;
  if (!aligned(address, bytes)) return nullptr;
  if (rank > blocks.size() || offset < kSharedStart || offset + bytes > warp.block->shared.size()) {
    warp.find(Finding::Kind::out_of_bounds, step, lane,
              fmt::format("a bulk copy of {} shared bytes at offset {} of {}", bytes,
                          static_cast<int64_t>(offset) - kSharedStart, warp.block->shared.size() - kSharedStart));
    return nullptr;
  }
  Block* home = rank == 0 ? warp.block : blocks[rank - 1].get();
  if (!warp.checks) return home;
  Lanes lanes;
  lanes.address[lane] = offset;
  lanes.home[lane] = home;
  lanes.shared = 1U << lane;
  observe(lanes, bytes);
  if (intent == Intent::read) {
    check_proxy(warp, step, lanes, lane, bytes);
    for (uint64_t unit_ = offset / Block::kReadUnit; unit_ <= (offset + bytes - 1) / Block::kReadUnit; ++unit_)
      ++home->readers[unit_];
  } else {
    std::fill_n(home->state.data() + offset, bytes, uint8_t{Mark::in_flight});
  }
  return home;
}

void append_address(Decoder& d, const Operand& operand, std::vector<uint32_t>& words) {
  Step end;
  d.address(end, operand);
  words.insert(words.end(), {end.a, end.wide_address ? 1U : 0U, static_cast<uint32_t>(end.immediate)});
}

uint64_t address_at(const Warp& warp, const uint32_t* words, uint32_t lane) {
  const uint64_t base = words[1] != 0 ? warp.at<uint64_t>(words[0])[lane] : warp.at<uint32_t>(words[0])[lane];
  return base + static_cast<uint64_t>(int64_t{static_cast<int32_t>(words[2])});
}

bool count_bytes(Warp& warp, const Step& step, uint32_t lane, uint64_t address, PendingBulk& bulk) {
  if (window_of(address) == kSharedWindow) address -= kSharedWindow;
  const auto& blocks = warp.block->gang->blocks;
  const uint64_t rank = address >> kRankShift;
  Block* home = rank == 0 ? warp.block : rank <= blocks.size() ? blocks[rank - 1].get() : nullptr;
  bulk.barrier = static_cast<uint32_t>(address & kSharedOffset);
  bulk.barrier_block = home;
  if (home != nullptr && home->arrival_barriers.contains(bulk.barrier)) return true;
  warp.find(Finding::Kind::bad_barrier, step, lane, "no mbarrier was initialised where the copy counts its bytes");
  return false;
}

PendingBulk begin_bulk(Warp& warp, uint32_t lane) {
  PendingBulk bulk;
  bulk.warp = &warp;
  bulk.lane = lane;
  bulk.group = warp.bulk_group[lane];
  return bulk;
}

void ask_for(Warp& warp, PendingBulk&& bulk) {
  count_bulk(warp, bulk);
  if (warp.checks) bulk.known = warp.released(bulk.lane);
  warp.block->gang->bulks.push_back(std::move(bulk));
}

}  // namespace parity::ptx
