// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds a candidate's first wrong node when only its last output can be compared.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "faults/edits/edit.hpp"
#include "replay/runs/recording.hpp"

namespace parity::faults {

/// The compared output when the candidate computes the first `taken` nodes and the reference the rest.
struct BisectProbe {
  int64_t taken = 0;
  double deviation = 0.0;  // rms(end - reference's end) over rms(effect of roundings on the reference's end)
  bool wrong = false;
};

struct Bisection {
  std::string end;        // tap that was compared
  std::string prefix;     // first node that makes the end wrong; empty: the candidate is right
  std::string component;  // component in the clean plan
  std::vector<BisectProbe> probes;
};

/// Deviation above which an end is wrong. Correct candidates with another order of sums stay below 3.
constexpr double kWrongEnd = 8.0;

/// Bisects in log2(n) + 2 walks over the plan, each on its own values from the recorded inputs. `end` is a tap; empty:
/// the last output of continuous values. Both plans have the same nodes in order. Error{usage}: unknown tap.
[[nodiscard]] Bisection bisect(const Edited& candidate, const Plan& clean, const WeightSource& weights,
                               const replay::Recording& inputs, const std::string& end = {});

}  // namespace parity::faults
