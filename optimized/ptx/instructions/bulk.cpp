// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cp.async.bulk and cp.reduce.async.bulk: any multiple of 16 bytes, asked for by one lane. Source: PTX ISA 9.0, section
// 9.7.9.25.4.
#include "optimized/ptx/instructions/bulk.hpp"

#include "optimized/ptx/instructions/async.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

constexpr uint32_t kBulkUnit = 16;

enum Way : uint8_t { global_to_shared, shared_to_shared, shared_to_global };
enum BulkAddress : uint8_t { target_address, source_address, barrier_address, words_of_address = 3 };

uint64_t end_at(const Warp& warp, const Step& step, BulkAddress which, uint32_t lane) {
  return address_at(warp, warp.frame->code->lists.data() + step.list + which * words_of_address, lane);
}

/// The blocks that a copy goes to: of a multicast those of the mask, at the same offsets; else one.
std::vector<uint64_t> ranks_of(const Warp& warp, const Step& step, uint32_t lane) {
  if (step.e == 0) return {0};
  const uint32_t mask = warp.at<uint16_t>(step.e)[lane];
  std::vector<uint64_t> ranks;
  for (uint64_t rank = 0; rank < 16; ++rank) {
    if ((mask >> rank & 1U) != 0) ranks.push_back(rank + 1);
  }
  return ranks;
}

/// With rank 0 the addresses name the block.
void copy_to(Warp& warp, const Step& step, uint32_t l, uint64_t rank, const BulkPiece& asked) {
  const auto placed = [&](uint64_t address) {
    return rank == 0 ? address : (address & kSharedOffset) | rank << kRankShift;
  };
  PendingBulk bulk = begin_bulk(warp, l);
  BulkPiece piece = asked;
  bulk.bytes = piece.bytes;
  if (step.mode2 != 0)
    bulk.combine = combine_of(static_cast<Reduction>(step.mode2 - 1), static_cast<NumberType>(step.count));
  const BulkEnd from{warp, step, l, Intent::read, kBulkUnit};
  const BulkEnd to{warp, step, l, bulk.combine == nullptr ? Intent::write : Intent::update, kBulkUnit};
  if (step.mode == global_to_shared) {
    if (!from.global(piece.source, piece.bytes)) return;
  } else {
    bulk.from = from.shared(piece.source, piece.bytes);
    piece.source &= kSharedOffset;
    if (bulk.from == nullptr) return;
  }
  if (step.mode == shared_to_global) {
    if (!to.global(piece.target, piece.bytes)) return;
  } else {
    bulk.to = to.shared(placed(piece.target), piece.bytes);
    piece.target &= kSharedOffset;
    if (bulk.to == nullptr || !count_bytes(warp, step, l, placed(end_at(warp, step, barrier_address, l)), bulk)) return;
  }
  bulk.pieces.push_back(piece);
  ask_for(warp, std::move(bulk));
}

void copy_bulk(Warp& warp, const Step& step) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(warp.mask, l)) continue;
    BulkPiece piece;
    piece.bytes = warp.at<uint32_t>(step.c)[l];
    piece.target = end_at(warp, step, target_address, l);
    piece.source = end_at(warp, step, source_address, l);
    if (piece.bytes == 0) continue;
    for (const uint64_t rank : ranks_of(warp, step, l)) copy_to(warp, step, l, rank, piece);
  }
}

void commit_bulk(Warp& warp, const Step&) {
  for (uint32_t l = 0; l < kLanes; ++l) warp.bulk_group[l] += has_lane(warp.mask, l) ? 1U : 0U;
}

void wait_bulk(Warp& warp, const Step& step) {
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

void decode_reduction(Decoder& d, Step& step) {
  const Reduction reduction = take_reduction(d);
  d.take("noftz");
  const std::string_view name = d.take_next();
  const NumberType type = name == "b32" ? NumberType::u32 : name == "b64" ? NumberType::u64 : number_type_of(name);
  if (combine_of(reduction, type) == nullptr) d.refuse(fmt::format("there is no such reduction of .{}", name));
  step.mode2 = static_cast<uint8_t>(static_cast<int>(reduction) + 1);
  step.count = static_cast<uint8_t>(type);
  step.strength = Strength::relaxed;
}

Handler copies(Decoder& d, Step& step, bool reduces) {
  const size_t first = reduces ? 4 : 3;
  const bool from_global = d.parts().size() > first + 1 && d.parts()[first + 1] == "global";
  const bool to_global = d.parts().size() > first && d.parts()[first] == "global";
  d.take("global");
  d.take("shared::cluster");
  d.take("shared::cta");
  const bool by_group = d.take("bulk_group"), by_barrier = d.take("mbarrier::complete_tx::bytes");
  if (by_group == by_barrier || by_group != to_global) d.refuse("this way to wait for a copy is not known");
  const bool policy = d.take("L2::cache_hint"), many = d.take("multicast::cluster");
  d.need(3 + (by_barrier ? 1U : 0U) + (many ? 1U : 0U) + (policy ? 1U : 0U));
  step.mode = to_global ? shared_to_global : from_global ? global_to_shared : shared_to_shared;
  if (many && step.mode != global_to_shared) d.refuse("only copies from global memory go to many blocks");
  if (reduces) decode_reduction(d, step);
  std::vector<uint32_t> words;
  append_address(d, d.operand(0), words);
  append_address(d, d.operand(1), words);
  if (by_barrier) append_address(d, d.operand(3), words);
  step.c = d.source(2, Type::u32);
  step.e = many ? d.source(4, Type::b16) : 0;
  step.list = d.list(words);
  return &copy_bulk;
}

}  // namespace

Handler bulk_group(Decoder& d, Step& step) {
  if (!d.is("cp") || !d.has("async") || !d.has("bulk")) return nullptr;
  d.take("async");
  d.take("bulk");
  if (d.take("prefetch")) {
    for (const std::string_view part : d.parts()) d.take(part);
    return &do_nothing;
  }
  if (d.take("commit_group")) return d.need(0), &commit_bulk;
  const bool reduces = d.take("reduce");
  if (d.take("tensor")) return tensor_copies(d, step, reduces);
  if (!d.take("wait_group")) return copies(d, step, reduces);
  d.need(1);
  step.mode = d.take("read") ? 1 : 0;
  if (d.operand(0).kind != Operand::Kind::integer) d.refuse("a number of groups is expected");
  step.immediate = static_cast<int64_t>(d.operand(0).bits);
  return &wait_bulk;
}

}  // namespace parity::ptx
