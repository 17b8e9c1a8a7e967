// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The kernel of linear, for components that are a linear layer once their operands are packed.
#pragma once

#include "core/components/linear/linear.hpp"

namespace parity::optimized::cuda {

/// T is the working type: float or BFloat16.
template <class T>
void linear(const Linear::Inputs& in, const Linear::Params& params, const Linear::Outputs& out, Context& context);

}  // namespace parity::optimized::cuda
