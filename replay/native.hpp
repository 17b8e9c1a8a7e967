// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of native types in a plan that is walked in binary64: their operands are converted on the way in and out.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "core/registry.hpp"

namespace parity::replay {

/// Inputs are narrowed to the types that the plan holds them in (Context::inputs), outputs start as NaN between guards and
/// are widened. Error{internal} when the kernel writes beside an output.
[[nodiscard]] ErasedKernel natively(const ErasedKernel& kernel);

/// Which components a backend computes natively, and the registry that does so.
struct NativeBackend {
  std::shared_ptr<const Registry> registry;
  std::set<std::string> components;
  std::set<std::string> rounds_freely;  // of them: need not round where the oracle does
};

/// `base` with every "reference:rounded" kernel replaced for which `kernels` has backend:`variant`. Error{unsupported} when
/// it has none at all.
[[nodiscard]] NativeBackend with_native_kernels(const Registry& base, const Registry& kernels,
                                                const std::string& backend, const std::string& variant);

}  // namespace parity::replay
