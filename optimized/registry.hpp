// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The optimized kernels of all backends of this build (optimized/backends.hpp).
#pragma once

#include "core/fusion.hpp"
#include "core/registry.hpp"

namespace parity::optimized {

/// Returns our own kernels, which must pass every guard.
[[nodiscard]] const Registry& registry();
/// Returns our own fused kernels, each of which computes several components in one pass.
[[nodiscard]] const Fusions& fusions();
/// Returns our own kernels and those of libraries.
[[nodiscard]] const Registry& registry_with_libraries();

}  // namespace parity::optimized
