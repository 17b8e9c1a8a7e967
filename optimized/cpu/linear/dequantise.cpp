// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/linear/dequantise.hpp"

#include <cmath>

#include "optimized/backends.hpp"
#include "optimized/cpu/linear/coded_matrix.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

/// Converts codes of any type one by one: parameters that are not quantised, and wide operands.
void any_codes(const Dequantise::Inputs& in, bool exponents, const TensorView& out) {
  constexpr int kBias = 127;
  const int64_t width = in.codes.shape.back(), count = in.codes.count(), bytes = size_of(out.dtype);
  const int64_t columns = in.scales.empty() ? width : width / in.scales.shape[1];
  const int64_t rows = in.scales.empty() ? 1 : count / width / in.scales.shape[0];
  cpu::in_pieces(count, int64_t{1} << 14, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      double number = in.codes.value(i);
      if (!in.scales.empty()) {
        const double scale = in.scales.value(i / width / rows * in.scales.shape[1] + i % width / columns);
        number *= exponents ? std::ldexp(1.0, static_cast<int>(scale) - kBias)
                            : static_cast<double>(static_cast<float>(scale));
      }
      store_element(out.dtype, out.data + i * bytes, static_cast<double>(static_cast<float>(number)));
    }
  });
}

template <class T>
void dequantise(const Dequantise::Inputs& in, const Dequantise::Params& params, const Dequantise::Outputs& out,
                Context&) {
  constexpr int64_t kGrain = int64_t{1} << 16;      // elements
  constexpr int64_t kStreamed = int64_t{32} << 20;  // bytes; more than a private cache and most shared caches hold
  PARITY_CHECK(out.out.contiguous(), internal, "dequantise needs an output of dense rows");
  if (in.codes.count() == 0) return;
  // Some parameters of a quantised checkpoint are binary32 whatever the working type is.
  const bool coded = in.codes.dtype == DType::e4m3fn && !in.scales.empty() && out.out.dtype == kDTypeOf<T>;
  if (!coded) return any_codes(in, params.exponents, out.out);
  cpu::CodedRows<T> all = cpu::coded_rows<T>(in.codes, in.scales, params.exponents);
  all.streams = out.out.count() * size_of(out.out.dtype) > kStreamed;
  auto* numbers = reinterpret_cast<T*>(out.out.data);
  cpu::in_pieces(all.last, std::max<int64_t>(kGrain / all.width, 1), [&](int64_t first, int64_t last) {
    cpu::CodedRows<T> piece = all;
    piece.first = first;
    piece.last = last;
    piece.out = numbers + first * all.width;
    cpu::decode_rows(piece);
  });
}

}  // namespace

void register_cpu_dequantise(BackendKernels& kernels) {
  kernels.add<Dequantise>("f32", &dequantise<float>, true);
  kernels.add<Dequantise>("bf16", &dequantise<BFloat16>, true);
}

}  // namespace parity::optimized
