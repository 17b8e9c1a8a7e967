// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tests what a pass proves: whether whole slices of a tap could be wrong without breaking any rule.
#pragma once

#include <string>
#include <vector>

#include "compare/judging/elements.hpp"
#include "compare/judging/record.hpp"

namespace parity::compare {

/// One kind of error along one axis that the rules would not notice at some positions.
struct Weakness {
  std::string axis;       // axis in words: "head"; "row" stands for all axes but the last
  std::string kind;       // "zero", "negated", "exchanged with the next"
  int64_t unnoticed = 0;  // number of `slices` in which the error would pass
  int64_t slices = 0;     // number of slices that the error changes by more than implementations differ
};

/// Returns every axis and kind of error that would pass in some slice.
[[nodiscard]] std::vector<Weakness> weaknesses_of(const Values& values, const Tolerance& tolerance,
                                                  const ElementRules& rules, const Record& record);

/// Marks `record` as mistrusted, with a reason, if whole slices could be wrong unnoticed or the output is constant.
void judge_power(const Values& values, const Tolerance& tolerance, const ElementRules& rules, Record& record);

}  // namespace parity::compare
