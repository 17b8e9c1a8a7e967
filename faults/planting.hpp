// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One fault planted in a candidate on one fixture, and what the judge made of it.
#pragma once

#include <optional>
#include <string>

#include "compare/judge.hpp"
#include "compare/record.hpp"
#include "faults/fault.hpp"
#include "faults/fixture.hpp"

namespace parity::faults {

struct Planting {
  std::string fault;
  std::string component;  // of the fault
  std::string fixture;    // folder
  int64_t places = 0;     // nodes edited; 0: this fixture has none
  std::string defect;     // why the edit could not be made here: the catalogue is wrong, not the judge
  int64_t changed = 0;    // recorded taps that the fault itself changes; 0: it shows nothing here
  compare::Status verdict = compare::Status::pass;
  std::string named;                // first divergence: a tap
  std::string named_component;      // of it
  std::string reason;               // the judge's words on the named tap
  double signal = 0.0;              // largest share of a threshold that a changed tap reaches; above 1 it fails
  double effect = 0.0;              // largest relative error of a changed tap
  std::optional<int64_t> distance;  // judged taps between the named one and the nearest changed one

  [[nodiscard]] bool flagged() const { return !compare::is_green(verdict); }
  [[nodiscard]] bool named_exactly() const { return flagged() && distance && *distance == 0; }
};

/// How far beyond the nearest of its thresholds a record is: its budget, its bias in units of what is suspicious, its bits
/// in units of what near-ties explain; infinite where a decision is wrong.
[[nodiscard]] double signal_of(const compare::Record& record);

/// Plants the fault in a candidate that computes the fixture's plan, and judges it as `parity run --mode isolated
/// --candidate capture:` does.
[[nodiscard]] Planting plant(const Fault& fault, const Fixture& fixture, const compare::Observer& observe = {});

/// The same candidate without a fault: whatever is not green is a false alarm.
[[nodiscard]] compare::GoldenReport judge_faultless(const Fixture& fixture, const compare::Observer& observe = {});

}  // namespace parity::faults
