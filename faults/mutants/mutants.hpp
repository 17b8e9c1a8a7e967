// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Faulty components, each with a wrong order of operations. Each derives from the component that it replaces, and so
// has its operands, parameters and rounding points. A line PARITY_REFERENCE(Type, name) registers it; the build finds
// the files.
#pragma once

#include "core/registry.hpp"
#include "reference/support.hpp"

/// Defines a faulty component: its name and formula. Everything else is inherited from `Base`.
#define PARITY_MUTANT_OF(Type, Base, name, formula)                        \
  struct Type : Base {                                                     \
    static constexpr ComponentText text{name, formula, "faults/mutants/"}; \
  };
