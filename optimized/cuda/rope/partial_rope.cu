// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// partial_rope: threads for each row, a thread turns both channels of a pair.
#include "optimized/cuda/rope/turned_rows.hpp"

#ifdef __CUDACC__

namespace parity::optimized::cuda {

extern "C" __global__ void partial_rope_f32(const __grid_constant__ TurnedRowsParameters p) {
  turn_plain_rows<float, float>(p);
}
extern "C" __global__ void partial_rope_bf16(const __grid_constant__ TurnedRowsParameters p) {
  turn_plain_rows<Bf16, Bf16>(p);
}
extern "C" __global__ void partial_rope_mixed(const __grid_constant__ TurnedRowsParameters p) {
  turn_plain_rows<Bf16, float>(p);
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/rope/partial_rope.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void partial_rope(const PartialRope::Inputs& in, const PartialRope::Params&, const PartialRope::Outputs& out,
                  Context& context) {
  with_tables<T, 3>("partial_rope", in.cos, in.sin, [&](const std::string& kernel, const auto& cos, const auto& sin) {
    const auto p = turned_rows(in.x.as<T, 4>(), cos, sin, out.out.as<T, 4>());                           // (B, A, S, D)
    launch(context, row_launch("partial_rope", kernel, p.rows, turned_units<T>(p)), p);
  });
}

}  // namespace

void register_cuda_partial_rope(BackendKernels& kernels) {
  kernels.add<PartialRope>("f32", &partial_rope<float>);
  kernels.add<PartialRope>("bf16", &partial_rope<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif
