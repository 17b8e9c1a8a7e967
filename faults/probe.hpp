// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One span under many hypotheses, cheaply: its operands are read once, its nodes evaluated as the oracle rounds alone.
// What looks better here is judged in full elsewhere.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "faults/reading.hpp"

namespace parity::faults {

/// An edit that leaves more of the difference than this explains nothing of it: chance alone reaches a few percent.
inline constexpr double kLeastGain = 0.9;

/// How far the candidate's taps of a span are from what a hypothesis computes.
struct Distance {
  double rms = 0.0;      // of the difference, relative to the candidate's; the mean of the taps
  double unequal = 0.0;  // share of elements (ids: rows) with other bits
  double changed = 0.0;  // share of elements that the hypothesis changes at all

  /// Less of the difference is left than chance alone leaves of it.
  [[nodiscard]] bool gains_on(const Distance& other) const {
    return rms < kLeastGain * other.rms || unequal < kLeastGain * other.unequal;
  }
  /// Half the way or four in five of the unequal bits are gone: what the judge asks of an explanation.
  [[nodiscard]] bool closer_than(const Distance& other) const {
    return (other.rms > 0.0 && 2.0 * rms <= other.rms) || (other.unequal > 0.0 && 5.0 * unequal <= other.unequal);
  }
};

class Probe {
 public:
  /// Measures the taps of `failing` that the span of `tap` judges. `reading` must outlive it.
  Probe(const Reading& reading, const replay::Span& span, const std::set<std::string>& failing);
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// The nodes of the span alone, unedited.
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Base& base() const { return *reading_.base(); }
  /// With the reading's faults alone.
  [[nodiscard]] const Distance& start() const { return start_; }
  /// With these besides; nothing when this plan does not allow them. Any number of threads may ask.
  [[nodiscard]] std::optional<Distance> distance(const std::vector<Fault>& besides) const;
  /// Every measured tap as the reading with these besides computes it, as stored. Error when this plan does not allow them.
  using Outputs = std::map<std::string, Tensor>;
  [[nodiscard]] Outputs evaluated(const std::vector<Fault>& besides) const;
  /// What the reading computes for a measured tap and what the candidate has, as stored, in binary64.
  struct Pair {
    std::string field;
    Tensor right, got;
  };
  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
  /// Of the measured taps together.
  [[nodiscard]] int64_t elements() const;

 private:
  /// What maps of results alone make of the right ones: nothing has to be evaluated.
  [[nodiscard]] std::optional<Outputs> mapped(const std::vector<Fault>& besides) const;
  [[nodiscard]] Plan with_taps(const std::vector<Fault>& besides) const;
  [[nodiscard]] replay::TapValue recorded(const std::string& tap) const;
  /// What the span goes on with; nothing where nobody recorded it.
  [[nodiscard]] std::optional<Tensor> decision(const std::string& tap) const;
  [[nodiscard]] Distance between(const Outputs& outputs) const;

  const Reading& reading_;
  Plan plan_;
  std::vector<std::string> measured_;
  std::set<std::string> sets_;  // taps of ids whose order is free
  Outputs got_, right_;
  std::map<std::string, std::vector<bool>> uncomputed_;  // elements that nobody computed; empty: none
  std::vector<Pair> pairs_;
  Distance start_;
  mutable std::mutex mutex_;
  mutable replay::Environment inputs_;
  mutable std::map<std::string, std::optional<Tensor>> decisions_;
};

}  // namespace parity::faults
