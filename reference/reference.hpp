// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The reference backend: slow and exact. One source serves exact, oracle-rounded and bounded evaluation.
#pragma once

#include "core/registry.hpp"

namespace parity::reference {

/// Registers every component of core/components/. A component without a reference is a link error.
void register_reference(Registry& registry);

/// The registry of all reference kernels.
[[nodiscard]] const Registry& registry();

}  // namespace parity::reference
