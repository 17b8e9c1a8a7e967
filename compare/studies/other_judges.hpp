// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Published predicates by which other projects accept or reject a tensor. They show what each would miss or refuse on
// our fixtures. The project judges nothing by them.
#pragma once

#include <string>
#include <vector>

#include "compare/judging/tolerance.hpp"

namespace parity::compare {

/// A predicate. It reads `got`, `rounded` (the oracle-rounded reference), `exact`, `count` and `dtype` of the values.
using OtherPredicate = bool (*)(const Values& values);

struct OtherJudge {
  std::string name;
  std::string rule;
  std::string source;  // name of the project, or "common" if many projects use the rule
  OtherPredicate accepts;
};

/// Returns all predicates. Elements that are NaN or the same infinity on both sides are left out of every sum and
/// count, like masked ones. Every predicate rejects an element that is finite on one side only.
[[nodiscard]] const std::vector<OtherJudge>& other_judges();
/// Returns the predicate of that name. Throws Error{not_found} with the nearest name.
[[nodiscard]] const OtherJudge& other_judge(const std::string& name);

}  // namespace parity::compare
