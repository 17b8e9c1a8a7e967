// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/fusions/add_norm.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/norm/rms_norm_rows.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

template <class T, void (*run)(const cpu::AddNormRows<T>&)>
void add_norm(const AddNorm::Inputs& in, const AddNorm::Params& params, const AddNorm::Outputs& out, Context&) {
  constexpr int64_t kGrain = int64_t{1} << 16;   // elements
  const auto residual = in.residual.as<T, 2>();                                                                // (N, H)
  const auto branch = in.branch.as<T, 2>();                                                                    // (N, H)
  const auto weight = in.weight.as<T, 1>();                                                                       // (H)
  const auto sum = out.sum.as<T, 2>();                                                                         // (N, H)
  const auto result = out.out.as<T, 2>();                                                                      // (N, H)
  const int64_t width = residual.extent[1];
  const bool dense = residual.stride[1] == 1 && branch.stride[1] == 1 && weight.stride[0] == 1 && sum.stride[1] == 1 &&
                     result.stride[1] == 1;
  PARITY_CHECK(width <= 1 || dense, internal, "add_norm needs rows with contiguous channels");
  cpu::in_pieces(residual.extent[0], std::max<int64_t>(kGrain / std::max<int64_t>(width, 1), 1),
                 [&](int64_t first, int64_t last) {
                   run({residual.data, branch.data, weight.data, sum.data, result.data, first, last, width,
                        residual.stride[0], branch.stride[0], sum.stride[0], result.stride[0],
                        static_cast<float>(params.eps), static_cast<float>(params.gain_offset)});
                 });
}

}  // namespace

void register_cpu_add_norm(BackendKernels& kernels) {
  kernels.fuse<AddNorm>("f32", &add_norm<float, &cpu::add_norm_f32>);
  kernels.fuse<AddNorm>("bf16", &add_norm<BFloat16, &cpu::add_norm_bf16>);
}

}  // namespace parity::optimized
