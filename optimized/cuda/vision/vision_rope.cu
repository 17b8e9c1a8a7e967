// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// vision_rope: as partial_rope, patches being the tokens of one sequence.
#include "optimized/cuda/rope/turned_rows.hpp"

#ifdef __CUDACC__

namespace parity::optimized::cuda {

extern "C" __global__ void vision_rope_f32(const __grid_constant__ TurnedRowsParameters p) {
  turn_plain_rows<float, float>(p);
}
extern "C" __global__ void vision_rope_bf16(const __grid_constant__ TurnedRowsParameters p) {
  turn_plain_rows<Bf16, Bf16>(p);
}
extern "C" __global__ void vision_rope_mixed(const __grid_constant__ TurnedRowsParameters p) {
  turn_plain_rows<Bf16, float>(p);
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/vision/vision_rope.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
Span<T, 4> heads_of_patches(const Span<T, 3>& x) {                                                          // (P, A, D)
  return {x.data, {1, x.extent[1], x.extent[0], x.extent[2]}, {0, x.stride[1], x.stride[0], x.stride[2]}};
}
template <class T>
Span<T, 3> table_of_patches(const Span<T, 2>& table) {                                                         // (P, R)
  return {table.data, {1, table.extent[0], table.extent[1]}, {0, table.stride[0], table.stride[1]}};
}

template <class T>
void vision_rope(const VisionRope::Inputs& in, const VisionRope::Params&, const VisionRope::Outputs& out,
                 Context& context) {
  with_tables<T, 2>("vision_rope", in.cos, in.sin, [&](const std::string& kernel, const auto& cos, const auto& sin) {
    const auto p = turned_rows(heads_of_patches(in.x.as<T, 3>()), table_of_patches(cos), table_of_patches(sin),
                               heads_of_patches(out.out.as<T, 3>()));                                    // (1, A, P, D)
    launch(context, row_launch("vision_rope", kernel, p.rows, turned_units<T>(p)), p);
  });
}

}  // namespace

void register_cuda_vision_rope(BackendKernels& kernels) {
  kernels.add<VisionRope>("f32", &vision_rope<float>);
  kernels.add<VisionRope>("bf16", &vision_rope<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif
