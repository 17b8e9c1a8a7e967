// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/edit.hpp"
#include "reference/reference.hpp"

namespace parity::faults {

#define PARITY_COMPONENT(name) void register_##name(Registry& registry);
#include "faults/mutants.def"
#undef PARITY_COMPONENT

void register_all(Registry& registry) {
  reference::register_reference(registry);
#define PARITY_COMPONENT(name) register_##name(registry);
#include "faults/mutants.def"
#undef PARITY_COMPONENT
}

const Registry& registry() {
  static const Registry instance = [] {
    Registry built;
    register_all(built);
    return built;
  }();
  return instance;
}

}  // namespace parity::faults
