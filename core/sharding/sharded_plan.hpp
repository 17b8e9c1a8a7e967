// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rewrites the plan of one process as a plan for several ranks.
#pragma once

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/sharding/layout.hpp"

namespace parity {

/// Every node becomes one node per rank, and each tap "x" a tap "ranks/RR/x", which knows its part of "x". Weights are
/// divided by the rules of the layout's package; what follows from a divided operand is divided as the components
/// declare (Traits::parallel, summed, heads). Partial sums ("x_partial") are added by an all_reduce at once; an operand
/// that a component needs whole is gathered ("x_gathered"), and one of which a rank needs a part is cut ("x_share").
/// Inputs of the plan belong to all ranks, but each data-parallel group has its own sequences.
/// Without Layout::rules, those of the package after which the plan's profile is named. A layout of one rank changes
/// nothing. Throws Error{unsupported} for a layout that the package refuses, in one line.
[[nodiscard]] Plan sharded_plan(const Plan& single, const Layout& layout, const Registry& components);

}  // namespace parity
