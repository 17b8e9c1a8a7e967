// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The optimized kernels: backends "cpu" and, in builds that found LibTorch, "torch". Variants by the working type they compute
// in ("f32", "bf16"), with the name of a special one behind it ("bf16-mask").
#pragma once

#include "core/registry.hpp"

namespace parity::optimized {

[[nodiscard]] const Registry& registry();

}  // namespace parity::optimized
