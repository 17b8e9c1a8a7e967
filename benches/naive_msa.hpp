// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/registry.hpp"

namespace parity::benches {

/// attention_block_sparse one query at a time, backend "naive": what a kernel costs that shares no block between queries.
[[nodiscard]] const Registry& naive_registry();

}  // namespace parity::benches
