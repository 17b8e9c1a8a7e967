// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/norm/rms_norm.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/norm/rms_norm_rows.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

template <class T, void (*run)(const cpu::RmsNormRows<T>&)>
void rms_norm(const RmsNorm::Inputs& in, const RmsNorm::Params& params, const RmsNorm::Outputs& out, Context&) {
  constexpr int64_t kGrain = int64_t{1} << 16;  // elements: rows one after another, so that the next is fetched in time
  const auto x = in.x.as<T, 2>();                                                                              // (N, H)
  const auto weight = in.weight.as<T, 1>();                                                                       // (H)
  const auto result = out.out.as<T, 2>();                                                                      // (N, H)
  const int64_t width = x.extent[1];
  PARITY_CHECK(width <= 1 || (x.stride[1] == 1 && weight.stride[0] == 1 && result.stride[1] == 1), internal,
               "rms_norm needs rows with contiguous channels");
  cpu::in_pieces(x.extent[0], std::max<int64_t>(kGrain / std::max<int64_t>(width, 1), 1),
                 [&](int64_t first, int64_t last) {
                   run({x.data, weight.data, result.data, first, last, width, x.stride[0], result.stride[0],
                        static_cast<float>(params.eps), static_cast<float>(params.gain_offset)});
                 });
}

}  // namespace

void register_cpu_rms_norm(BackendKernels& kernels) {
  kernels.add<RmsNorm>("f32", &rms_norm<float, &cpu::rms_norm_f32>);
  kernels.add<RmsNorm>("bf16", &rms_norm<BFloat16, &cpu::rms_norm_bf16>);
}

}  // namespace parity::optimized
