// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Faulty components: an order of operations that somebody mistook for the right one. Each derives from the component in
// whose place it is put, so that it has the same operands, parameters and rounding points. A line
// PARITY_REFERENCE(Type, name) makes it known: the build reads the files of this folder.
#pragma once

#include "core/registry.hpp"
#include "reference/support.hpp"

/// A faulty component's name and what it does; everything else is that of `Base`.
#define PARITY_MUTANT_OF(Type, Base, name, formula)                        \
  struct Type : Base {                                                     \
    static constexpr ComponentText text{name, formula, "faults/mutants/"}; \
  };
