// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edit.hpp"
#include "reference/reference.hpp"

namespace parity::faults {

#define PARITY_COMPONENT(name) void register_##name(Registry& registry);
#include "faults/mutants/mutants.def"
#undef PARITY_COMPONENT

const Registry& registry() {
  static const Registry instance = [] {
    Registry built;
    reference::register_reference(built);
#define PARITY_COMPONENT(name) register_##name(built);
#include "faults/mutants/mutants.def"
#undef PARITY_COMPONENT
    return built;
  }();
  return instance;
}

}  // namespace parity::faults
