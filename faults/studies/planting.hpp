// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One fault planted in a candidate on one fixture, with the judge's verdict.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "compare/judging/judge.hpp"
#include "compare/judging/record.hpp"
#include "faults/edits/fault.hpp"
#include "faults/studies/fixture.hpp"

namespace parity::faults {

struct Planting {
  std::string fault;
  std::string component;           // component of the fault
  std::string fixture;             // folder of the golden
  int64_t places = 0;              // number of edited nodes; 0: the fixture has none
  bool only_later = false;         // the edits only omit or delay roundings
  std::string defect;              // why the edit failed: an error in the catalogue
  int64_t changed = 0;             // number of recorded taps that the fault changes; 0: no effect here
  std::set<std::string> freedoms;  // kinds of compare::Deviation under which changed taps are still right
  bool right = true;               // every changed tap is right, as the oracle's or by a freedom
  compare::Status verdict = compare::Status::pass;
  std::string named;                // tap of the first divergence
  std::string named_component;      // component of `named`
  std::string reason;               // the judge's reason for `named`
  double signal = 0.0;              // largest share of a threshold reached by a changed tap; above 1 it fails
  double effect = 0.0;              // largest relative error of a changed tap
  std::optional<int64_t> distance;  // number of judged taps from `named` to the nearest changed one

  [[nodiscard]] bool flagged() const { return !compare::is_green(verdict) && verdict != compare::Status::skipped; }
  /// Whether the values are right but not the oracle's: the edits only omit or delay roundings, or change an order.
  [[nodiscard]] bool rounds_differently() const {
    return only_later || (right && freedoms == std::set<std::string>{"order"});
  }
  [[nodiscard]] bool named_exactly() const { return flagged() && distance && *distance == 0; }
};

/// Returns the largest multiple of a threshold that a record reaches: its budget, its bias over the suspicious bias, or
/// its other bits over those that near-ties explain. A wrong choice of ids counts as infinite.
[[nodiscard]] double signal_of(const compare::Record& record);

/// The candidate in which faults are planted on a fixture, and the judge's verdict on it without a fault.
struct Ground {
  const Fixture& fixture;
  std::string backend;            // backend whose kernels compute; empty: the reference
  std::string alarm;              // why the candidate without a fault does not pass; empty: it does
  std::set<std::string> alarmed;  // taps that do not pass without a fault, so that a kill there would prove nothing
};

/// Judges the candidate without a fault, like `parity run --mode isolated --candidate WORD`.
[[nodiscard]] Ground ground_of(const Fixture& fixture, const std::string& backend,
                               const compare::Observer& observe = {});

/// Plants the fault and judges every tap that an edited node contributes to, on the golden's inputs. `places` is 0 if
/// the backend has no kernel of the component.
[[nodiscard]] Planting plant(const Fault& fault, const Ground& ground, const compare::Observer& observe = {});

}  // namespace parity::faults
