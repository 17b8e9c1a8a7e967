// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/reference.hpp"

namespace parity::reference {

#define PARITY_COMPONENT(name) void register_##name(Registry& registry);
#include "core/components.def"
#undef PARITY_COMPONENT

void register_reference(Registry& registry) {
#define PARITY_COMPONENT(name) register_##name(registry);
#include "core/components.def"
#undef PARITY_COMPONENT
}

const Registry& registry() {
  static const Registry instance = [] {
    Registry built;
    register_reference(built);
    return built;
  }();
  return instance;
}

}  // namespace parity::reference
