// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Predicates by which other projects tell a right tensor from a wrong one, as they publish them: to see on our own fixtures
// what each would notice and what it would refuse. Nothing of ours is judged by them.
#pragma once

#include <string>
#include <vector>

#include "compare/tolerance.hpp"

namespace parity::compare {

/// Reads `got`, `rounded` (the reference as the oracle rounds), `exact`, `count` and `dtype` of the values.
using OtherPredicate = bool (*)(const Values& values);

struct OtherJudge {
  std::string name;
  std::string rule;
  std::string source;  // project; "common" where many use it and none owns it
  OtherPredicate accepts;
};

/// Elements in which both sides are NaN, or the same infinity, are left out of every sum and count, as masks leave them out;
/// an element that is finite on one side only is refused by all.
[[nodiscard]] const std::vector<OtherJudge>& other_judges();
/// Error{not_found} with the nearest name.
[[nodiscard]] const OtherJudge& other_judge(const std::string& name);

}  // namespace parity::compare
