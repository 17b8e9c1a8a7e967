// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Correct kernels with another order of operations than the reference: one for each component for which order matters.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "cases/drawn/arithmetic.hpp"
#include "core/registry.hpp"

namespace parity::cases {

/// Runs a kernel that rounds at the points of `context`. An exact context keeps all in binary32 (a fused kernel).
using CorrectKernel = std::function<void(const Arguments& in, const ParamMap& params, const Arguments& out,
                                         const Context& context, const Arithmetic& math)>;
using CorrectKernels = std::map<std::string, CorrectKernel>;  // key: component

void add_matrix_kernels(CorrectKernels& kernels);
void add_attention_kernels(CorrectKernels& kernels);
void add_router_kernels(CorrectKernels& kernels);
void add_lightning_kernels(CorrectKernels& kernels);
void add_elementwise_kernels(CorrectKernels& kernels);
void add_loss_kernels(CorrectKernels& kernels);
void add_table_kernels(CorrectKernels& kernels);
void add_process_kernels(CorrectKernels& kernels);
void add_rank_kernels(CorrectKernels& kernels);
[[nodiscard]] const CorrectKernels& correct_kernels();

template <class C>
CorrectKernel correct_kernel(void (*run)(const typename C::Inputs&, const typename C::Params&,
                                         const typename C::Outputs&, const typename C::Points&, const Arithmetic&)) {
  return [run](const Arguments& in, const ParamMap& params, const Arguments& out, const Context& context,
               const Arithmetic& math) {
    static const Definition definition = definition_of<C>();
    run(detail::marshal<typename C::Inputs>(in, definition.inputs, C::inputs()), detail::params_from<C>(params),
        detail::marshal<typename C::Outputs>(out, definition.outputs, C::outputs()), points_of<C>(context), math);
  };
}

/// Returns `x` as the oracle rounds it at `point`.
[[nodiscard]] inline float at(const Round& point, float x) { return static_cast<float>(point(static_cast<double>(x))); }

using Row = std::vector<float>;

/// Returns row n of a matrix.
[[nodiscard]] inline Row row_of(const Span<double, 2>& x, int64_t n) {
  Row row;
  for (int64_t i = 0; i < x.extent[1]; ++i) row.push_back(static_cast<float>(x(n, i)));
  return row;
}

[[nodiscard]] inline std::vector<Row> rows_of(const Span<double, 2>& x) {
  std::vector<Row> rows;
  for (int64_t n = 0; n < x.extent[0]; ++n) rows.push_back(row_of(x, n));
  return rows;
}

[[nodiscard]] inline Row values_of(const Span<double, 1>& x) {
  Row row;
  for (int64_t i = 0; i < x.extent[0]; ++i) row.push_back(static_cast<float>(x(i)));
  return row;
}

}  // namespace parity::cases
