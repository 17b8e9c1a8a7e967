// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/router/router.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/parallel.hpp"
#include "optimized/cpu/router/router_rows.hpp"

namespace parity::optimized {
namespace {

/// Returns rows in binary32. Some models store logits or bias in T; these are widened.
Span<float, 2> single(const TensorView& x, Context& context) {
  if (x.dtype == DType::f32) return x.as<float, 2>();
  const int64_t width = x.shape.back(), rows = width == 0 ? 0 : x.count() / width;
  auto* wide = context.workspace->take_elements<float>(static_cast<size_t>(rows * width));
  for (int64_t i = 0; i < rows * width; ++i) wide[i] = static_cast<float>(x.value(i));
  return {wide, {rows, width}, {width, 1}};
}

void router(const Router::Inputs& in, const Router::Params& params, const Router::Outputs& out, Context& context) {
  constexpr int64_t kGrain = 64;                   // tokens
  const auto logits = single(in.logits, context);                                                              // (N, E)
  TensorView row = in.bias;                                                                                    // (1, E)
  row.shape.insert(row.shape.begin(), 1);
  row.strides.insert(row.strides.begin(), 0);
  const auto bias = single(row, context);
  Span<int64_t, 2> forced;                                                                                     // (N, T)
  if (!in.forced.empty()) forced = in.forced.as<int64_t, 2>();
  const auto scores = out.scores.as<float, 2>();                                                               // (N, E)
  const auto choice = out.choice.as<float, 2>();                                                               // (N, E)
  const auto indices = out.indices.as<int64_t, 2>();                                                           // (N, T)
  const auto weights = out.weights.as<float, 2>();                                                             // (N, T)
  const int64_t experts = logits.extent[1], slots = indices.extent[1];
  const bool dense =
      (experts <= 1 ||
       (logits.stride[1] == 1 && bias.stride[1] == 1 && scores.stride[1] == 1 && choice.stride[1] == 1)) &&
      (slots <= 1 ||
       (indices.stride[1] == 1 && weights.stride[1] == 1 && (forced.data == nullptr || forced.stride[1] == 1)));
  PARITY_CHECK(dense, internal, "router needs rows with contiguous experts");
  PARITY_CHECK(forced.data != nullptr || (slots == params.top_k && slots <= experts), schema,
               "{} of {} experts are chosen, but the output has {} slots", params.top_k, experts, slots);
  cpu::in_pieces(logits.extent[0], kGrain, [&](int64_t first, int64_t last) {
    cpu::router_rows({logits.data,
                      bias.data,
                      forced.data,
                      scores.data,
                      choice.data,
                      indices.data,
                      weights.data,
                      first,
                      last,
                      experts,
                      slots,
                      params.top_k,
                      logits.stride[0],
                      forced.stride[0],
                      scores.stride[0],
                      choice.stride[0],
                      indices.stride[0],
                      weights.stride[0],
                      static_cast<float>(params.eps),
                      static_cast<float>(params.scaling)});
  });
}

}  // namespace

void register_cpu_router(BackendKernels& kernels) {
  kernels.add<Router>("f32", &router);
  kernels.add<Router>("bf16", &router);  // binary32 for every working type
}

}  // namespace parity::optimized
