// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Functions of single elements: residual_add, swiglu, silu, gelu.

#include "core/components/gelu.hpp"
#include "core/components/residual_add.hpp"
#include "core/components/silu.hpp"
#include "core/components/swiglu.hpp"
#include "core/registry.hpp"
#include "optimized/cpu/element_rows.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

template <class T>
using Rows = cpu::ElementRows<T>;
template <class T>
using Run = void (*)(const Rows<T>&);

/// Rows of `width` elements, those of each operand dense.
template <class T>
Rows<T> rows_of(const Span<T, 2>& a, const Span<T, 2>& b, const Span<T, 2>& out, const char* name) {
  const int64_t width = out.extent[1];
  const bool dense = width <= 1 || (a.stride[1] == 1 && (b.data == nullptr || b.stride[1] == 1) && out.stride[1] == 1);
  PARITY_CHECK(dense, internal, "{} reads rows whose channels lie side by side", name);
  return {a.data, b.data, out.data, 0, out.extent[0], width, a.stride[0], b.stride[0], out.stride[0]};
}

template <class T, Run<T> run>
void share_out(const Rows<T>& rows) {
  constexpr int64_t kGrain = int64_t{1} << 15;  // elements
  cpu::in_pieces(rows.last, std::max<int64_t>(kGrain / std::max<int64_t>(rows.width, 1), 1),
                 [&](int64_t first, int64_t last) {
                   Rows<T> part = rows;
                   part.first = first;
                   part.last = last;
                   run(part);
                 });
}

template <class T, Run<T> run>
void residual_add(const ResidualAdd::Inputs& in, const ResidualAdd::Params& params, const ResidualAdd::Outputs& out,
                  Context&) {
  Rows<T> rows = rows_of(in.residual.as<T, 2>(), in.branch.as<T, 2>(), out.out.as<T, 2>(), "residual_add");
  rows.first_factor = static_cast<float>(params.residual_factor);
  rows.second_factor = static_cast<float>(params.branch_factor);
  share_out<T, run>(rows);
}

template <class T, Run<T> run>
void swiglu(const Swiglu::Inputs& in, const Swiglu::Params& params, const Swiglu::Outputs& out, Context& context) {
  const auto gate = in.gate_up.as<T, 2>();                                                                    // (N, 2F)
  const auto result = out.out.as<T, 2>();                                                                      // (N, F)
  Span<T, 2> up = gate;
  up.data += result.extent[1] * gate.stride[1];
  PARITY_CHECK(gate.stride[1] == 1, internal, "swiglu reads rows whose channels lie side by side");
  Rows<T> rows = rows_of(gate, up, result, "swiglu");
  rows.alpha = static_cast<float>(params.alpha);
  const auto round = points_of<Swiglu>(context);
  rows.limit = static_cast<float>(round.limit(params.limit));  // in whose type the clamp compares
  rows.rounds = round.gated.active && round.gated.precision == Precision::working;
  rows.offset = static_cast<float>(params.linear_offset);
  share_out<T, run>(rows);
}

template <class C, class T, Run<T> run>
void of_one(const typename C::Inputs& in, const typename C::Params&, const typename C::Outputs& out, Context&) {
  share_out<T, run>(rows_of(in.x.template as<T, 2>(), Span<T, 2>{}, out.out.template as<T, 2>(), C::text.name));
}

}  // namespace

void register_cpu_residual_add(Registry& registry) {
  registry.add<ResidualAdd>("cpu", "f32", &residual_add<float, &cpu::residual_add_f32>);
  registry.add<ResidualAdd>("cpu", "bf16", &residual_add<BFloat16, &cpu::residual_add_bf16>);
}
void register_cpu_swiglu(Registry& registry) {
  registry.add<Swiglu>("cpu", "f32", &swiglu<float, &cpu::swiglu_f32>);
  registry.add<Swiglu>("cpu", "bf16", &swiglu<BFloat16, &cpu::swiglu_bf16>);
}
void register_cpu_silu(Registry& registry) {
  registry.add<Silu>("cpu", "f32", &of_one<Silu, float, &cpu::silu_f32>);
  registry.add<Silu>("cpu", "bf16", &of_one<Silu, BFloat16, &cpu::silu_bf16>);
}
void register_cpu_gelu(Registry& registry) {
  registry.add<Gelu>("cpu", "f32", &of_one<Gelu, float, &cpu::gelu_f32>);
  registry.add<Gelu>("cpu", "bf16", &of_one<Gelu, BFloat16, &cpu::gelu_bf16>);
}

}  // namespace parity::optimized
