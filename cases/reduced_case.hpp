// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reduces a failing case while it fails in the same way: a smaller case that fails otherwise hides the cause.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cases/battery.hpp"

namespace parity::cases {

/// The way in which a case fails, as far as it does not depend on extents.
struct FailurePattern {
  bool in_part = false;             // some elements are right, and the wrong ones make up a stretch or a period
  bool at_end = false;              // a stretch reaches the end of its axis: a tail
  bool periodic = false;            // one position in several
  std::string values;               // kind and axis of the wrong values; empty: they have no description
  std::vector<std::string> errors;  // of a case that ended in an error: what was found and where, without numbers

  /// Whether a case with this pattern shows all that one with the pattern `other` shows.
  [[nodiscard]] bool shows(const FailurePattern& other) const;
};

[[nodiscard]] FailurePattern pattern_of(const compare::Record& record,
                                        const std::optional<compare::ValueMatch>& values);

/// Returns the first failing record if it fails in part or in an error. Else, of the same output, the first one that
/// fails in part (where everything is wrong, nothing tells which part is), or else the first whose wrong values have a
/// description. described(index) says that; it is asked of some. At least one record must fail.
[[nodiscard]] size_t most_telling(const std::vector<std::optional<compare::Record>>& records,
                                  const std::function<bool(size_t)>& described);

/// Returns the smallest case that was seen to fail with the pattern of `found`.
[[nodiscard]] CaseFailure reduced_case(const CaseSpec& spec, const CaseKernel& kernel, const compare::Record& found);

}  // namespace parity::cases
