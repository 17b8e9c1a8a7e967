// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cases of fused kernels: the recipes of the chain's parts draw what their part reads from outside, under extents and parameters
// that they share. Nothing is written down of a fusion but what it says of its parts (core/fusion.hpp).
#pragma once

#include <string>
#include <vector>

#include "cases/drawn/maker.hpp"
#include "core/fusion.hpp"

namespace parity::cases {

/// The chain as nodes of a plan, and `fused`, the node in their place. A part whose recipe computes extents goes first, the
/// later before the earlier one: others take what it has drawn.
[[nodiscard]] DrawnCase draw_chain(const CaseSpec& spec, const Definition& fusion, const std::vector<FusedPart>& parts);

}  // namespace parity::cases
