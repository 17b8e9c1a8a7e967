// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// layer_norm: a block for each row, which is read three times: from memory, then from the caches.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

struct LayerNormParameters {
  Operand<2> x, out;                                                                                           // (N, H)
  Operand<1> weight, bias;                                                                                        // (H)
  int64_t width;
  float eps;
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/block_sum.cuh"
#include "optimized/cuda/device/row_units.cuh"

namespace parity::optimized::cuda {

/// Deviations are squared, not elements: the mean may be much larger than they are.
template <class T>
__device__ void layer_norm(const LayerNormParameters& p) {
  const PlainRow<T> x{at<T>(p.x, blockIdx.x), p.x.stride[1], p.vectors};
  const PlainRow<T> weight{at<T>(p.weight, 0), p.weight.stride[0], p.vectors},
      bias{at<T>(p.bias, 0), p.bias.stride[0], p.vectors};
  const auto elements = static_cast<float>(p.width);
  float total = 0.0F;
  each_unit<kVector<T>>(p.width, [&](int64_t h, auto unit) {
    float values[unit.kElements];
    x.load(h, values);
    for (const float value : values) total += value;
  });
  const float mean = block_sum(total) / elements;
  float squares = 0.0F;
  each_unit<kVector<T>>(p.width, [&](int64_t h, auto unit) {
    float values[unit.kElements];
    x.load(h, values);
    for (const float value : values) squares += (value - mean) * (value - mean);
  });
  const float inverse = 1.0F / sqrtf(block_sum(squares) / elements + p.eps), offset = -mean * inverse;
  T* out = at<T>(p.out, blockIdx.x);
  each_unit<kVector<T>>(p.width, [&](int64_t h, auto unit) {
    float values[unit.kElements], gain[unit.kElements], shift[unit.kElements];
    x.load(h, values);
    weight.load(h, gain);
    bias.load(h, shift);
#pragma unroll
    for (int k = 0; k < unit.kElements; ++k) values[k] = (values[k] * inverse + offset) * gain[k] + shift[k];
    store(out, p.out.stride[1], h, values, p.vectors);
  });
}

extern "C" __global__ void layer_norm_f32(const __grid_constant__ LayerNormParameters p) { layer_norm<float>(p); }
extern "C" __global__ void layer_norm_bf16(const __grid_constant__ LayerNormParameters p) { layer_norm<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/norm/layer_norm.hpp"
#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void layer_norm(const LayerNorm::Inputs& in, const LayerNorm::Params& params, const LayerNorm::Outputs& out,
                Context& context) {
  const auto x = in.x.as<T, 2>(), result = out.out.as<T, 2>();                                                 // (N, H)
  const auto weight = in.weight.as<T, 1>(), bias = in.bias.as<T, 1>();                                            // (H)
  const int64_t width = x.extent[1];
  PARITY_CHECK(result.extent == x.extent && weight.extent[0] == width && bias.extent[0] == width, internal,
               "layer_norm reads rows of {} channels, with {} weights and {} biases, and writes rows of {}", width,
               weight.extent[0], bias.extent[0], result.extent[1]);
  const bool vectors = has_vectors(x) && has_vectors(result) && has_vectors(weight) && has_vectors(bias);
  const uint32_t threads = threads_for(units_of<T>(width, true));
  launch(context, {"layer_norm", kernel_name<T>("layer_norm"), {grid_extent(x.extent[0])}, {threads}},
         LayerNormParameters{operand(x), operand(result), operand(weight), operand(bias), width,
                             static_cast<float>(params.eps), vectors});
}

}  // namespace

void register_cuda_layer_norm(BackendKernels& kernels) {
  kernels.add<LayerNorm>("f32", &layer_norm<float>);
  kernels.add<LayerNorm>("bf16", &layer_norm<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif
