// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a pass is worth: whether whole slices of a tap could be wrong without any rule noticing.
#pragma once

#include <string>
#include <vector>

#include "compare/elements.hpp"
#include "compare/record.hpp"

namespace parity::compare {

/// One way to be wrong along one axis, which the rules would let pass at some positions.
struct Weakness {
  std::string axis;       // "head"; "row": all axes but the last
  std::string kind;       // "zero", "negated", "exchanged with the next"
  int64_t unnoticed = 0;  // slices for which it changes the values, beyond what implementations differ in, unnoticed
  int64_t slices = 0;     // for which it changes the values
};

/// Every axis and kind of which some slice would pass.
[[nodiscard]] std::vector<Weakness> weaknesses_of(const Values& values, const Tolerance& tolerance,
                                                  const ElementRules& rules, const Record& record);

/// Sets `record` to mistrusted, with the reason, where whole slices could be wrong unnoticed or the output is constant.
void judge_power(const Values& values, const Tolerance& tolerance, const ElementRules& rules, Record& record);

}  // namespace parity::compare
