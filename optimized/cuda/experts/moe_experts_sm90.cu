// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The products of routed experts for compute capability 9.0, in place of the tiles of moe_experts.cu, which orders the slots
// and sums the addends.
#include "optimized/cuda/experts/moe_experts_sm90.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/expert_groups.cuh"

namespace parity::optimized::cuda {

#define PARITY_EXPERTS_SM90(name)                                                \
  extern "C" __global__ void __launch_bounds__(kGroupBlockThreads, 1)            \
      moe_experts_sm90_##name(const __grid_constant__ ExpertsSm90Parameters p) { \
    extern __shared__ __align__(kSwizzled) char experts_memory[];                \
    name##_group(p, *reinterpret_cast<ExpertShape::Memory*>(experts_memory));    \
  }
PARITY_EXPERTS_SM90(activate)
PARITY_EXPERTS_SM90(weigh)
#undef PARITY_EXPERTS_SM90

extern "C" __global__ void moe_experts_sm90_gather(const __grid_constant__ ExpertsSm90Parameters p) { gather_row(p); }

}  // namespace parity::optimized::cuda

#else

#include <algorithm>
#include <bit>

#include "optimized/cuda/vectors.hpp"

namespace parity::optimized::cuda {
namespace {

constexpr uint32_t kGroupPositions = kExpertPositions / 2;

TensorBoxes boxes_of_positions(const void* data, int64_t count, int64_t width) {
  return boxes_of_rows(data, {count, width, width}, kGroupPositions);
}

std::vector<TensorBoxes> boxes_of_members(const Members& members) {
  std::vector<TensorBoxes> all;
  for (const std::byte* member : members.each)
    all.push_back(boxes_of_rows(member, {members.rows, members.width, members.width}, kExpertBoxRows));
  return all;
}

bool all_fit(const Members& members) {
  const auto all = boxes_of_members(members);
  return std::all_of(all.begin(), all.end(), boxes_fit);
}

/// In memory of the place: kernels are given too few parameters for all of them.
const TensorMap* maps_of(const Members& members, const Context& context) {
  CudaPlace& place = cuda_place(context);
  std::vector<TensorMap> maps;
  for (const TensorBoxes& boxes : boxes_of_members(members)) maps.push_back(place.tensor_map(boxes));
  const size_t bytes = maps.size() * sizeof(TensorMap);
  std::byte* const table = context.workspace->take(bytes);
  place.write(table, reinterpret_cast<const std::byte*>(maps.data()), bytes);
  return reinterpret_cast<const TensorMap*>(table);
}

}  // namespace

bool takes_experts_sm90(const ExpertsParameters& p, const Members& gate_up, const Members& down,
                        const Context& context) {
  const bool types = p.x.element == Element::bf16 && p.x.vectors != 0;
  const bool slots = std::bit_cast<uintptr_t>(p.slot_activation) % kVectorBytes == 0;
  return cuda_place(context).capability() == kGroupCapability && types && slots && p.width > 0 && p.inner > 0 &&
         all_fit(gate_up) && all_fit(down);
}

void start_experts_sm90(const ExpertsParameters& given, const Members& gate_up, const Members& down,
                        const Context& context) {
  constexpr uint32_t kShared = kExpertStages * (kExpertPositions + 2 * kExpertBoxRows) * 128 + 2 * kExpertStages * 8;
  const CudaPlace& place = cuda_place(context);
  const int64_t count = given.routed.count, tiles = most_tiles(given.routed);
  ExpertsSm90Parameters p{};
  p.of = given;
  p.gathered = context.workspace->take_elements<BFloat16>(static_cast<size_t>(count * given.width));
  p.x = place.tensor_map(boxes_of_positions(p.gathered, count, given.width));
  p.active = place.tensor_map(boxes_of_positions(given.active, count, given.inner));
  p.gate_up = maps_of(gate_up, context);
  p.down = maps_of(down, context);
  const auto run = [&](const char* kernel, int64_t blocks, uint32_t threads, uint32_t shared) {
    launch(
        context,
        {"moe_experts_sm90", std::string("moe_experts_sm90_") + kernel, {grid_extent(blocks)}, {threads}, {}, shared},
        p);
  };
  run("gather", count, threads_for(given.width / 8), 0);
  run("activate", tiles * parts_of(given.inner, kExpertBoxRows), kGroupBlockThreads, kShared);
  run("weigh", tiles * parts_of(given.width, 2 * kExpertBoxRows), kGroupBlockThreads, kShared);
}

}  // namespace parity::optimized::cuda

#endif
