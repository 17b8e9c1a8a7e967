// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The optimized kernels, by backend and variant: the working type they compute in ("f32", "bf16"), with the name of a special
// one after a dash ("bf16-mask").
#pragma once

#include "core/fusion.hpp"
#include "core/registry.hpp"

namespace parity::optimized {

/// Our own, backend "cpu": these are held to every guard.
[[nodiscard]] const Registry& registry();
/// Our own that compute several components in one pass.
[[nodiscard]] const Fusions& fusions();
/// And those of libraries that this build found, backend "torch": judged like ours, but what they promise of threads, layouts
/// and hidden NaN is theirs to say.
[[nodiscard]] const Registry& registry_with_libraries();

}  // namespace parity::optimized
