// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What every reference kernel needs: registration for both number types.
#pragma once

#include "core/registry.hpp"

/// Registers `name<double>` (exact or rounded, as the walk says) and `name<Bounded>` (exact with a running error bound).
#define PARITY_REFERENCE(Type, name)                            \
  void register_##name(Registry& registry) {                    \
    registry.add<Type>("reference", "rounded", &name<double>);  \
    registry.add<Type>("reference", "bounded", &name<Bounded>); \
  }
