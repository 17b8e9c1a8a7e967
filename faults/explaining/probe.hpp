// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tests many hypotheses on one span cheaply: operands are read once, and nodes are evaluated only with the oracle's
// rounding. Good ones are then judged in full elsewhere.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "faults/explaining/reading.hpp"

namespace parity::faults {

/// Largest share of the difference that may remain for an edit to count. A gain of a few percent may be chance.
inline constexpr double kLeastGain = 0.9;

/// Distance of the candidate's taps in a span from those of a hypothesis.
struct Distance {
  double rms = 0.0;      // rms of the difference over rms of the candidate, averaged over taps
  double unequal = 0.0;  // share of elements (rows of ids) with other bits
  double changed = 0.0;  // share of elements that the hypothesis changes

  /// Whether less of the difference is left than by chance.
  [[nodiscard]] bool gains_on(const Distance& other) const {
    return rms < kLeastGain * other.rms || unequal < kLeastGain * other.unequal;
  }
  /// Whether half of the difference or four in five unequal bits are gone, as the judge requires of an explanation.
  [[nodiscard]] bool closer_than(const Distance& other) const {
    return (other.rms > 0.0 && 2.0 * rms <= other.rms) || (other.unequal > 0.0 && 5.0 * unequal <= other.unequal);
  }
};

class Probe {
 public:
  /// Measures the taps of `failing` that `span` judges. `reading` must outlive it.
  Probe(const Reading& reading, const replay::Span& span, const std::set<std::string>& failing);
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// Returns the unedited plan with only the nodes of the span.
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Base& base() const { return *reading_.base(); }
  /// Returns the distance with only the reading's faults.
  [[nodiscard]] const Distance& start() const { return start_; }
  /// Returns the distance with further faults, or nullopt if the plan does not allow them. Threads may call it at once.
  [[nodiscard]] std::optional<Distance> distance(const std::vector<Fault>& besides) const;
  /// Returns every measured tap with further faults, in the stored type. Throws if the plan does not allow them.
  using Outputs = std::map<std::string, Tensor>;
  [[nodiscard]] Outputs evaluated(const std::vector<Fault>& besides) const;
  /// A measured tap as the reading computes it and as the candidate stores it, in binary64.
  struct Pair {
    std::string field;
    Tensor right, got;
  };
  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
  /// Returns the number of elements of all measured taps.
  [[nodiscard]] int64_t elements() const;

 private:
  /// Returns the outputs for faults that only map results, without evaluating nodes; nullopt for other faults.
  [[nodiscard]] std::optional<Outputs> mapped(const std::vector<Fault>& besides) const;
  [[nodiscard]] Plan with_taps(const std::vector<Fault>& besides) const;
  [[nodiscard]] replay::TapValue recorded(const std::string& tap) const;
  /// Returns the decision that later nodes of the span use, or nullopt if it is not recorded.
  [[nodiscard]] std::optional<Tensor> decision(const std::string& tap) const;
  [[nodiscard]] Distance between(const Outputs& outputs) const;

  const Reading& reading_;
  Plan plan_;
  std::vector<std::string> measured_;
  std::set<std::string> sets_;  // taps of ids in any order
  Outputs got_, right_;
  std::map<std::string, std::vector<bool>> uncomputed_;  // per tap: elements that were not computed; empty: none
  std::vector<Pair> pairs_;
  Distance start_;
  mutable std::mutex mutex_;
  mutable replay::Environment inputs_;
  mutable std::map<std::string, std::optional<Tensor>> decisions_;
};

}  // namespace parity::faults
