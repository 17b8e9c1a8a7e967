// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cases of fused kernels. The recipes of the chain's parts draw the operands read from outside the chain, with common
// extents and parameters. A fusion needs no further description than that of its parts (core/fusion.hpp).
#pragma once

#include <string>
#include <vector>

#include "cases/drawn/maker.hpp"
#include "core/fusion.hpp"

namespace parity::cases {

/// Returns a case with the chain as nodes of a plan, and `fused` as the single node in their place. Parts whose recipes
/// compute extents are drawn first, later parts before earlier ones, and the others use their extents.
[[nodiscard]] DrawnCase draw_chain(const CaseSpec& spec, const Definition& fusion, const std::vector<FusedPart>& parts);

}  // namespace parity::cases
