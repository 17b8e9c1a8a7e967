// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/norm/residual_add.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/activation/elementwise.hpp"

namespace parity::cpu {

PARITY_CPU_FUNCTION(residual_add_f32, ElementRows<float>)
PARITY_CPU_FUNCTION(residual_add_bf16, ElementRows<BFloat16>)

}  // namespace parity::cpu

namespace parity::optimized {
namespace {

template <class T, elementwise::Run<T> run>
void residual_add(const ResidualAdd::Inputs& in, const ResidualAdd::Params& params, const ResidualAdd::Outputs& out,
                  Context&) {
  elementwise::Rows<T> rows =
      elementwise::rows_of(in.residual.as<T, 2>(), in.branch.as<T, 2>(), out.out.as<T, 2>(), "residual_add");
  rows.first_factor = static_cast<float>(params.residual_factor);
  rows.second_factor = static_cast<float>(params.branch_factor);
  elementwise::share_out<T, run>(rows);
}

}  // namespace

void register_cpu_residual_add(BackendKernels& kernels) {
  kernels.add<ResidualAdd>("f32", &residual_add<float, &cpu::residual_add_f32>);
  kernels.add<ResidualAdd>("bf16", &residual_add<BFloat16, &cpu::residual_add_bf16>);
}

}  // namespace parity::optimized
