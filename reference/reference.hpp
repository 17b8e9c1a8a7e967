// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The reference backend: slow, exact, one source for exact, oracle-rounded and bounded evaluation.
#pragma once

#include "core/registry.hpp"

namespace parity::reference {

/// Adds every component of core/components/; one that lacks its reference is a link error.
void register_reference(Registry& registry);

/// A registry that holds the reference kernels.
[[nodiscard]] const Registry& registry();

}  // namespace parity::reference
