// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The optimized kernels: backend "cpu", variants by the working type they compute in ("f32", "bf16").
#pragma once

#include "core/registry.hpp"

namespace parity::optimized {

[[nodiscard]] const Registry& registry();

}  // namespace parity::optimized
