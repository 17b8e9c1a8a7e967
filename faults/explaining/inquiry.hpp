// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tests hypotheses on the taps of a run. Keeps the opened run and its records, and judges only the spans that a
// hypothesis affects.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "faults/explaining/explain.hpp"
#include "faults/explaining/fit.hpp"
#include "faults/explaining/reading.hpp"

namespace parity::faults {

/// A reading that explains failures, and the records of the taps that it affects.
struct Verified {
  Explanation explanation;
  std::shared_ptr<const Reading> reading;
  std::vector<compare::Record> records;
};

/// Whether `a` is better: more failing taps explained, everywhere, fewer edits, more equal bits, less budget used.
[[nodiscard]] bool better(const Verified& a, const Verified& b);

class Inquiry {
 public:
  Inquiry(const golden::Golden& golden, const compare::RunOptions& options, const compare::GoldenReport& report);

  /// Returns the first failing tap in plan order that is not in `given_up`, or nullptr.
  [[nodiscard]] const compare::Record* next(const std::set<std::string>& given_up) const;
  [[nodiscard]] const compare::Record* record(const std::string& tap) const;
  [[nodiscard]] const std::set<std::string>& failing() const { return failing_; }
  [[nodiscard]] int64_t failing_at_first() const { return failing_at_first_; }
  [[nodiscard]] const Reading& reading() const { return *reading_; }

  /// Whether a node of the tap's span could have the fault.
  [[nodiscard]] bool concerned(const Fault& fault, const compare::Record& first) const;
  /// Tests the faults in addition to the assumed ones, at all nodes or else only at failing ones. They must be accepted
  /// at `first` by the judge's rules, be nearer than without them, and break no passing tap.
  [[nodiscard]] std::optional<Verified> verified(const std::vector<Fault>& besides, const compare::Record& first) const;
  /// Tests another profile of the system under the conditions of `verified`.
  [[nodiscard]] std::optional<Verified> verified_profile(const std::string& profile,
                                                         const compare::Record& first) const;

  /// Returns the fault restricted to those nodes whose taps pass under it, if other nodes with it still fail.
  [[nodiscard]] Fault where_it_holds(Fault fault, const std::set<std::string>& failed) const;

  /// Assumes the verified reading from now on.
  void assume(const Verified& verified);

 private:
  /// The result of testing one hypothesis. `right`: it is accepted at the first tap at least.
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
  std::map<std::string, compare::Record> records_;  // isolated records, judged under `reading_`
  std::vector<std::string> order_;
  std::set<std::string> failing_, passing_;
  int64_t failing_at_first_ = 0;
  std::shared_ptr<const Reading> reading_;
};

}  // namespace parity::faults
