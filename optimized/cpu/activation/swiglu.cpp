// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/activation/swiglu.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/activation/elementwise.hpp"

namespace parity::cpu {

PARITY_CPU_FUNCTION(swiglu_f32, ElementRows<float>)
PARITY_CPU_FUNCTION(swiglu_bf16, ElementRows<BFloat16>)

}  // namespace parity::cpu

namespace parity::optimized {
namespace {

template <class T, elementwise::Run<T> run>
void swiglu(const Swiglu::Inputs& in, const Swiglu::Params& params, const Swiglu::Outputs& out, Context& context) {
  const auto gate = in.gate_up.as<T, 2>();                                                                    // (N, 2F)
  const auto result = out.out.as<T, 2>();                                                                      // (N, F)
  Span<T, 2> up = gate;
  up.data += result.extent[1] * gate.stride[1];
  PARITY_CHECK(gate.stride[1] == 1, internal, "swiglu needs rows with contiguous channels");
  elementwise::Rows<T> rows = elementwise::rows_of(gate, up, result, "swiglu");
  rows.alpha = static_cast<float>(params.alpha);
  const auto round = points_of<Swiglu>(context);
  rows.limit = static_cast<float>(round.limit(params.limit));  // the type in which the clamp compares
  rows.rounds = round.gated.active && round.gated.precision == Precision::working;
  rows.offset = static_cast<float>(params.linear_offset);
  elementwise::share_out<T, run>(rows);
}

}  // namespace

void register_cpu_swiglu(BackendKernels& kernels) {
  kernels.add<Swiglu>("f32", &swiglu<float, &cpu::swiglu_f32>);
  kernels.add<Swiglu>("bf16", &swiglu<BFloat16, &cpu::swiglu_bf16>);
}

}  // namespace parity::optimized
