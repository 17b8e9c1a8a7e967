// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cp.async.bulk: copies of any multiple of 16 bytes, asked for by one lane. Source: PTX ISA 9.0, section 9.7.9.25.4.
#include <algorithm>

#include "optimized/ptx/instructions/arrival.hpp"
#include "optimized/ptx/instructions/async.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/memory.hpp"

namespace parity::ptx {
namespace {

constexpr uint32_t kUnit = 16;

const uint8_t* source_of(const PendingBulk& bulk) {
  if (bulk.from != nullptr) return bulk.from->shared.data() + bulk.source;
  const Allocation* found = bulk.warp->worker->machine.device.nearest(bulk.source);
  return found->data.get() + (bulk.source - found->base);
}

void read_source(PendingBulk& bulk) {
  if (bulk.read) return;
  const uint8_t* from = source_of(bulk);
  bulk.snapshot.assign(from, from + bulk.bytes);
  bulk.read = true;
}

void carry_out(PendingBulk& bulk) {
  read_source(bulk);
  if (bulk.to != nullptr) {
    std::memcpy(bulk.to->shared.data() + bulk.target, bulk.snapshot.data(), bulk.bytes);
    if (bulk.warp->checks) std::fill_n(bulk.to->state.data() + bulk.target, bulk.bytes, uint8_t{Block::written});
  } else {
    Allocation* found = bulk.warp->worker->machine.device.nearest(bulk.target);
    std::memcpy(found->data.get() + (bulk.target - found->base), bulk.snapshot.data(), bulk.bytes);
  }
  if (bulk.barrier_block == nullptr) return;
  const auto barrier = bulk.barrier_block->arrival_barriers.find(bulk.barrier);
  if (barrier == bulk.barrier_block->arrival_barriers.end()) return;
  barrier->second.bytes -= bulk.bytes;
  if (bulk.warp->checks) barrier->second.arriving = join(barrier->second.arriving, bulk.known);
  settle(barrier->second);
}

template <class Which>
void carry_out_those(Gang& gang, const Which& which) {
  std::erase_if(gang.bulks, [&](PendingBulk& bulk) {
    if (!which(bulk)) return false;
    carry_out(bulk);
    return true;
  });
}

/// One end of a copy, of one lane: whether its bytes are there; with checks they are looked at.
class End {
 public:
  End(Warp& warp, const Step& step, uint32_t lane, uint32_t bytes, Intent intent)
      : warp_(warp), step_(step), lane_(lane), bytes_(bytes), intent_(intent) {}

  [[nodiscard]] bool global(uint64_t address) {
    Machine& machine = warp_.worker->machine;
    Allocation* found = machine.device.nearest(address);
    const bool inside = found != nullptr && !found->freed && address - found->base <= found->bytes &&
                        bytes_ <= found->bytes - (address - found->base) &&
                        !(found->read_only && intent_ == Intent::write);
    if (!aligned(address)) return false;
    if (!inside) {
      warp_.find(found != nullptr && found->freed ? Finding::Kind::use_after_free : Finding::Kind::out_of_bounds, step_,
                 lane_,
                 fmt::format("a bulk copy of {} global bytes at offset {} of {}", bytes_,
                             found == nullptr ? address : address - found->base, found == nullptr ? 0 : found->bytes));
      return false;
    }
    lanes_.address[lane_] = address;
    lanes_.allocation[lane_] = found;
    lanes_.global = 1U << lane_;
    if (warp_.checks && machine.locked()) {
      lanes_.locks = &machine.locks;
      machine.locks.lock(~uint64_t{0});
      lanes_.locked = ~uint64_t{0};
    }
    observe();
    return true;
  }

  [[nodiscard]] Block* shared(uint64_t address) {
    if (window_of(address) == kSharedWindow) address -= kSharedWindow;
    const auto& blocks = warp_.block->gang->blocks;
    const uint64_t rank = address >> kRankShift, offset = address & kSharedOffset;
    if (!aligned(address)) return nullptr;
    if (rank > blocks.size() || offset < kSharedStart || offset + bytes_ > warp_.block->shared.size()) {
      warp_.find(Finding::Kind::out_of_bounds, step_, lane_,
                 fmt::format("a bulk copy of {} shared bytes at offset {} of {}", bytes_,
                             static_cast<int64_t>(offset) - kSharedStart, warp_.block->shared.size() - kSharedStart));
      return nullptr;
    }
    Block* home = rank == 0 ? warp_.block : blocks[rank - 1].get();
    lanes_.address[lane_] = offset;
    lanes_.home[lane_] = home;
    lanes_.shared = 1U << lane_;
    observe();
    if (warp_.checks && intent_ == Intent::write)
      std::fill_n(home->state.data() + offset, bytes_, uint8_t{Block::in_flight});
    return home;
  }

 private:
  bool aligned(uint64_t address) {
    if (address % kUnit == 0 && bytes_ % kUnit == 0) return true;
    warp_.find(Finding::Kind::misaligned, step_, lane_,
               fmt::format("a bulk copy of {} bytes at 0x{:x}; both are multiples of 16", bytes_, address));
    return false;
  }
  void observe() {
    if (!warp_.checks) return;
    if (intent_ == Intent::read) {
      observe_read(warp_, step_, lanes_, lane_, bytes_);
    } else {
      observe_write(warp_, step_, lanes_, lane_, bytes_, false);
    }
  }

  Warp& warp_;
  const Step& step_;
  uint32_t lane_, bytes_;
  Intent intent_;
  Lanes lanes_;
};

enum Way : uint8_t { global_to_shared, shared_to_shared, shared_to_global };

uint64_t address_at(const Warp& warp, uint32_t operand, bool wide, int64_t offset, uint32_t lane) {
  const uint64_t base = wide ? warp.at<uint64_t>(operand)[lane] : warp.at<uint32_t>(operand)[lane];
  return base + static_cast<uint64_t>(offset);
}

/// Lists: offsets and flags of target, source and mbarrier, three words each: operand, whether wide, offset.
uint64_t end_at(const Warp& warp, const Step& step, uint32_t which, uint32_t lane) {
  const uint32_t* words = warp.frame->code->lists.data() + step.list + which * 3;
  return address_at(warp, words[0], words[1] != 0, static_cast<int32_t>(words[2]), lane);
}

/// The mbarrier of a copy; none was initialised there: a finding.
bool counted(Warp& warp, const Step& step, uint32_t lane, PendingBulk& bulk) {
  uint64_t address = end_at(warp, step, 2, lane);
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

void copy(Warp& warp, const Step& step) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(warp.mask, l)) continue;
    PendingBulk bulk;
    bulk.bytes = warp.at<uint32_t>(step.c)[l];
    bulk.target = end_at(warp, step, 0, l);
    bulk.source = end_at(warp, step, 1, l);
    bulk.warp = &warp;
    bulk.lane = l;
    bulk.group = warp.bulk_group[l];
    End source(warp, step, l, bulk.bytes, Intent::read), target(warp, step, l, bulk.bytes, Intent::write);
    if (step.mode == global_to_shared) {
      if (!source.global(bulk.source)) continue;
    } else {
      bulk.from = source.shared(bulk.source);
      bulk.source &= kSharedOffset;
      if (bulk.from == nullptr) continue;
    }
    if (step.mode == shared_to_global) {
      if (!target.global(bulk.target)) continue;
    } else {
      bulk.to = target.shared(bulk.target);
      bulk.target &= kSharedOffset;
      if (bulk.to == nullptr || !counted(warp, step, l, bulk)) continue;
    }
    if (warp.checks) bulk.known = warp.released(l);
    warp.block->gang->bulks.push_back(std::move(bulk));
  }
}

void commit(Warp& warp, const Step&) {
  for (uint32_t l = 0; l < kLanes; ++l) warp.bulk_group[l] += has_lane(warp.mask, l) ? 1U : 0U;
}

void wait_group(Warp& warp, const Step& step) {
  const auto newest = static_cast<uint32_t>(step.immediate);
  const auto waited = [&](const PendingBulk& bulk) {
    return bulk.warp == &warp && has_lane(warp.mask, bulk.lane) && bulk.barrier_block == nullptr &&
           bulk.group + newest < warp.bulk_group[bulk.lane];
  };
  if (step.mode == 0) {
    carry_out_those(*warp.block->gang, waited);
    return;
  }
  for (PendingBulk& bulk : warp.block->gang->bulks) {
    if (waited(bulk)) read_source(bulk);
  }
}

Handler copies(Decoder& d, Step& step) {
  const bool from_global = d.parts().size() > 4 && d.parts()[4] == "global";
  const bool to_global = d.parts().size() > 3 && d.parts()[3] == "global";
  d.take("global");
  d.take_one({"shared::cluster"});
  d.take_one({"shared::cta"});
  const bool by_group = d.take("bulk_group"), by_barrier = d.take("mbarrier::complete_tx::bytes");
  if (by_group == by_barrier || by_group != to_global) d.refuse("this way to wait for a copy is not known");
  const bool policy = d.take("L2::cache_hint");
  d.need((by_barrier ? 4 : 3) + (policy ? 1 : 0));
  step.mode = to_global ? shared_to_global : from_global ? global_to_shared : shared_to_shared;
  std::vector<uint32_t> words;
  for (const size_t operand : {size_t{0}, size_t{1}, size_t{3}}) {
    if (operand == 3 && !by_barrier) break;
    Step end;
    d.address(end, d.operand(operand));
    words.insert(words.end(), {end.a, end.wide_address ? 1U : 0U, static_cast<uint32_t>(end.immediate)});
  }
  step.c = d.source(2, Type::u32);
  step.list = d.list(words);
  return &copy;
}

}  // namespace

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

Handler bulk_group(Decoder& d, Step& step) {
  if (!d.is("cp") || !d.take("async") || !d.take("bulk")) return nullptr;
  if (d.has("tensor")) d.refuse("copies of tensors are not known");
  if (d.take("prefetch")) {
    for (const std::string_view part : d.parts()) d.take(part);
    return [](Warp&, const Step&) {};
  }
  if (d.take("commit_group")) return d.need(0), &commit;
  if (!d.take("wait_group")) return copies(d, step);
  d.need(1);
  step.mode = d.take("read") ? 1 : 0;
  if (d.operand(0).kind != Operand::Kind::integer) d.refuse("a number of groups is expected");
  step.immediate = static_cast<int64_t>(d.operand(0).bits);
  return &wait_group;
}

}  // namespace parity::ptx
