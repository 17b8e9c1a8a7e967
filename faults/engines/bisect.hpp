// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// When only the end of a candidate can be compared: which of its nodes is the first that is wrong?
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "faults/edits/edit.hpp"
#include "replay/recording.hpp"

namespace parity::faults {

/// The compared output with the first `taken` nodes of the candidate and the reference after them.
struct BisectProbe {
  int64_t taken = 0;
  double deviation = 0.0;  // rms(end - reference's end) / rms(what roundings do to the reference's end)
  bool wrong = false;
};

struct Bisection {
  std::string end;        // the tap that was compared
  std::string prefix;     // the first node with which the end is wrong; empty: the whole candidate is right
  std::string component;  // of the clean plan
  std::vector<BisectProbe> probes;
};

/// More than roundings and the order of sums do to an end: correct candidates of other orders stay below 3.
constexpr double kWrongEnd = 8.0;

/// log2(n) + 2 walks over the plan, each on its own values from the recorded inputs. `end` is a tap of the plan (empty: the
/// last output of continuous values). Both plans have the same nodes in the same order. Error{usage} for another tap.
[[nodiscard]] Bisection bisect(const Edited& candidate, const Plan& clean, const WeightSource& weights,
                               const replay::Recording& inputs, const std::string& end = {});

}  // namespace parity::faults
