// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the taps of a run say of hypotheses: holds the opened run and its records, and judges again only what a hypothesis
// touches.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "faults/explain.hpp"
#include "faults/fit.hpp"
#include "faults/reading.hpp"

namespace parity::faults {

/// A reading that explains something, and what it makes of the taps that it touches.
struct Verified {
  Explanation explanation;
  std::shared_ptr<const Reading> reading;
  std::vector<compare::Record> records;
};

/// Best first: failing taps explained, everywhere, fewer edits, bits, budget left.
[[nodiscard]] bool better(const Verified& a, const Verified& b);

class Inquiry {
 public:
  Inquiry(const golden::Golden& golden, const compare::RunOptions& options, const compare::GoldenReport& report);

  /// The first failing tap in plan order that is none of `given_up`; nullptr when there is none.
  [[nodiscard]] const compare::Record* next(const std::set<std::string>& given_up) const;
  [[nodiscard]] const compare::Record* record(const std::string& tap) const;
  [[nodiscard]] const std::set<std::string>& failing() const { return failing_; }
  [[nodiscard]] int64_t failing_at_first() const { return failing_at_first_; }
  [[nodiscard]] const Reading& reading() const { return *reading_; }

  /// Whether a node of the tap's span could have the fault.
  [[nodiscard]] bool concerned(const Fault& fault, const compare::Record& first) const;
  /// The faults besides those assumed, everywhere or else at the nodes that fail: accepted at `first` by the judge's own
  /// rules, nearer than without them, and nothing that passed is broken.
  [[nodiscard]] std::optional<Verified> verified(const std::vector<Fault>& besides, const compare::Record& first) const;
  /// Another profile of the system, under the same conditions.
  [[nodiscard]] std::optional<Verified> verified_profile(const std::string& profile,
                                                         const compare::Record& first) const;

  /// The fault at those of its nodes alone whose taps hold by now, when others of its nodes still fail.
  [[nodiscard]] Fault where_it_holds(Fault fault, const std::set<std::string>& failed) const;

  /// Goes on with it assumed.
  void assume(const Verified& verified);

 private:
  /// What came of one hypothesis; `right` when it is accepted at the first tap at least.
  struct Attempt {
    std::optional<Verified> verified{};
    bool right = false;
  };
  [[nodiscard]] Attempt tried(const std::vector<Fault>& besides, const compare::Record& first) const;
  [[nodiscard]] Attempt judged(std::shared_ptr<const Reading> reading, const std::vector<replay::Span>& spans,
                               const compare::Record& first) const;
  [[nodiscard]] std::vector<Fault> at_failing_nodes(std::vector<Fault> faults, bool folded) const;
  [[nodiscard]] bool closer(const compare::Record& with, const compare::Record& without) const;
  void count_failing();

  compare::RunOptions options_;
  compare::OpenedRun opened_;
  std::map<std::string, compare::Record> records_;  // isolated, as the reading judges them
  std::vector<std::string> order_;
  std::set<std::string> failing_, passing_;
  int64_t failing_at_first_ = 0;
  std::shared_ptr<const Reading> reading_;
};

}  // namespace parity::faults
