// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One fault planted in a candidate on one fixture, and what the judge made of it.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "compare/judge.hpp"
#include "compare/record.hpp"
#include "faults/edits/fault.hpp"
#include "faults/studies/fixture.hpp"

namespace parity::faults {

struct Planting {
  std::string fault;
  std::string component;           // of the fault
  std::string fixture;             // folder
  int64_t places = 0;              // nodes edited; 0: this fixture has none
  bool only_later = false;         // the edits only spare or postpone roundings
  std::string defect;              // why the edit could not be made here: the catalogue is wrong, not the judge
  int64_t changed = 0;             // recorded taps that the fault itself changes; 0: it shows nothing here
  std::set<std::string> freedoms;  // kinds of compare::Deviation by which taps that it changes are right all the same
  bool right = true;               // each of those is: the oracle's, or by a freedom
  compare::Status verdict = compare::Status::pass;
  std::string named;                // first divergence: a tap
  std::string named_component;      // of it
  std::string reason;               // the judge's words on the named tap
  double signal = 0.0;              // largest share of a threshold that a changed tap reaches; above 1 it fails
  double effect = 0.0;              // largest relative error of a changed tap
  std::optional<int64_t> distance;  // judged taps between the named one and the nearest changed one

  [[nodiscard]] bool flagged() const { return !compare::is_green(verdict) && verdict != compare::Status::skipped; }
  /// Right, and not the oracle's: its edits spare or postpone roundings, or the judge found no other order wrong.
  [[nodiscard]] bool rounds_differently() const {
    return only_later || (right && freedoms == std::set<std::string>{"order"});
  }
  [[nodiscard]] bool named_exactly() const { return flagged() && distance && *distance == 0; }
};

/// How far beyond the nearest of its thresholds a record is: its budget, its bias in units of what is suspicious, its bits
/// in units of what near-ties explain; infinite where a decision is wrong.
[[nodiscard]] double signal_of(const compare::Record& record);

/// In what faults are planted on a fixture, and what the judge says of it without one.
struct Ground {
  const Fixture& fixture;
  std::string backend;            // whose kernels compute; empty: the reference
  std::string alarm;              // why the faultless candidate is not green; empty: it is
  std::set<std::string> alarmed;  // taps that are not green without a fault: a kill there would prove nothing
};

/// Judges the faultless candidate as `parity run --mode isolated --candidate WORD` does.
[[nodiscard]] Ground ground_of(const Fixture& fixture, const std::string& backend,
                               const compare::Observer& observe = {});

/// Plants the fault, and judges every tap that an edited node has a part in, on the golden's inputs. No places where the backend
/// has no kernel of the faulty component.
[[nodiscard]] Planting plant(const Fault& fault, const Ground& ground, const compare::Observer& observe = {});

}  // namespace parity::faults
