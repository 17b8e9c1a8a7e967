// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/experts/routing.hpp"

#include <limits>

#include "optimized/cuda/host_rows.hpp"

namespace parity::optimized::cuda {

Tile route(Routed& routed, const TensorView& indices, int64_t experts, const Context& context) {
  constexpr int64_t kSomeSlots = 64;  // of an expert: up to here a large tile would be half empty
  PARITY_CHECK(indices.dtype == DType::i64, internal, "ids of experts are {}, expected i64", to_string(indices.dtype));
  const int64_t count = indices.count();
  PARITY_CHECK(count <= std::numeric_limits<int32_t>::max(), unsupported,
               "{} slots of experts; a CUDA kernel takes at most 2147483647: give fewer tokens at a time", count);
  const Tile tile = count > kSomeSlots * experts ? kLargeTile : kSmallTile;
  const auto ints = [&](int64_t size) {
    return context.workspace->take_elements<int32_t>(static_cast<size_t>(std::max<int64_t>(size, 1)));
  };
  routed.indices = rows_of(indices);
  routed.count = count;
  routed.slots = static_cast<int32_t>(indices.shape.back());
  routed.experts = static_cast<int32_t>(experts);
  routed.tile_rows = static_cast<int32_t>(tile.rows);
  routed.chunks = static_cast<int32_t>(parts_of(count, kChunk));
  routed.ranks = ints(count);
  routed.counts = ints(routed.chunks * experts);
  routed.first_position = ints(experts + 1);
  routed.first_tile = ints(experts + 1);
  routed.slot_at = ints(count);
  routed.position_of = ints(count);
  return tile;
}

int64_t most_tiles(const Routed& routed) {
  return std::min<int64_t>(routed.count, routed.count / routed.tile_rows + routed.experts);
}

Members members_of(const WeightBank& bank, DType type, const Context& context) {
  Members members{nullptr, 1, 0, 0, {}};
  for (int64_t e = 0; e < bank.size(); ++e) {
    const Tensor member = bank.member(e);  // whose memory is the bank's
    PARITY_CHECK(member.view().contiguous() && member.dtype() == type, internal,
                 "moe_experts needs dense weights of {}; expert {} has {}", to_string(type), e,
                 to_string(member.dtype()));
    members.each.push_back(member.view().data);
    members.vectors &= rows_of(member.view()).vectors;
    members.width = member.shape().back();
    members.rows = member.shape().front();
  }
  const size_t bytes = members.each.size() * sizeof(members.each[0]);
  std::byte* table = context.workspace->take(bytes);
  cuda_place(context).write(table, reinterpret_cast<const std::byte*>(members.each.data()), bytes);
  members.addresses = reinterpret_cast<const void* const*>(table);
  return members;
}

}  // namespace parity::optimized::cuda
