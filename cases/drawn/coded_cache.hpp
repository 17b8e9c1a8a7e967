// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cases of FP8 caches: codes at every kind of boundary, and a scale of its own for each head.
#pragma once

#include "cases/drawn/exact.hpp"
#include "cases/drawn/kernels.hpp"

namespace parity::cases {

void add_coded_cache_recipes(Recipes& recipes);
void add_exact_coded_cache(Recipes& recipes);
void add_coded_cache_kernels(CorrectKernels& kernels);

}  // namespace parity::cases
