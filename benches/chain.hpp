// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Fused kernels beside the chains that they replace: the same operands, the parts' kernels of a backend one after the other.
#pragma once

#include <vector>

#include "benches/cases.hpp"
#include "core/fusion.hpp"

namespace parity::benches {

/// Every kernel that can be timed: components' by backend and variant, fused ones under the fusion's name, and beside them the
/// chains of each backend that has kernels of all parts, as "torch" and "cpu-chain".
[[nodiscard]] const Registry& bench_registry();

/// A kernel of a case: "cpu", "cpu-chain", "torch-mask", and what it stands for.
struct CaseKernel {
  std::string label;
  const KernelEntry* entry;
};
[[nodiscard]] std::vector<CaseKernel> kernels_of(const BenchCase& bench, DType type);

/// The chain's parts; empty for a component.
[[nodiscard]] std::vector<FusedPart> parts_of(const std::string& component);

}  // namespace parity::benches
