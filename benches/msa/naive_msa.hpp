// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/registry.hpp"

namespace parity::benches {

/// A registry of attention_block_sparse one query at a time, as backend "naive": shows the cost of sharing no block.
[[nodiscard]] const Registry& naive_registry();

}  // namespace parity::benches
