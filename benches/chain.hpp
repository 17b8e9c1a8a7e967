// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Registers chains, which a fused kernel is compared with: the parts' kernels of one backend, called one after another.
#pragma once

#include <vector>

#include "benches/cases.hpp"
#include "core/fusion.hpp"

namespace parity::benches {

/// Returns every kernel that can be timed. Fused kernels are registered under the name of the fusion. Beside them stand
/// the chains of each backend that has kernels of all parts, labelled "torch" and "cpu-chain".
[[nodiscard]] const Registry& bench_registry();

/// A kernel of a case with its label: "cpu", "cpu-chain" or "torch-mask".
struct CaseKernel {
  std::string label;
  const KernelEntry* entry;
};
[[nodiscard]] std::vector<CaseKernel> kernels_of(const BenchCase& bench, DType type);

/// Returns the parts of a fusion, or nothing for a component.
[[nodiscard]] std::vector<FusedPart> parts_of(const std::string& component);

}  // namespace parity::benches
