// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names of ranks, of their taps and of layouts: read back from text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/sharding/layout.hpp"

namespace parity {

/// The rank of a tap or prefix "ranks/03/…"; -1 if it belongs to no rank.
[[nodiscard]] int64_t rank_of_tap(const std::string& tap);
/// The tap without its rank: "steps/000/…".
[[nodiscard]] std::string without_rank(const std::string& tap);
/// "rank 3", "ranks 0-2, 4-7" in ascending order.
[[nodiscard]] std::string ranks_text(std::vector<int64_t> ranks);
/// The layout that Layout::text and a rules suffix wrote: "tp 2, dp 2", "tp 4, rules vllm". Throws Error{usage}.
[[nodiscard]] Layout parse_layout(const std::string& text);
/// The text of a layout with its rules, which parse_layout reads; empty for one rank.
[[nodiscard]] std::string layout_text(const Layout& layout);

/// Whether no recording of one process can have the tap: a term of a sum, or ids that only one rank uses.
[[nodiscard]] bool is_own_to_rank(const Plan& plan, const std::string& tap);

}  // namespace parity
