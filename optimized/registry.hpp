// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The optimized kernels of all backends of this build (optimized/backends.hpp).
#pragma once

#include "core/fusion.hpp"
#include "core/registry.hpp"

namespace parity::optimized {

/// Our own: these are held to every guard.
[[nodiscard]] const Registry& registry();
/// Our own that compute several components in one pass.
[[nodiscard]] const Fusions& fusions();
/// Our own and those of libraries.
[[nodiscard]] const Registry& registry_with_libraries();

}  // namespace parity::optimized
