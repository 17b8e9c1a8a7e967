// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Verdicts of other projects' published predicates on the candidates of the kill matrix. They see the data of our
// judge: every recorded tap and the reference on the candidate's inputs, as in a test of one kernel.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compare/studies/other_judges.hpp"
#include "faults/studies/planting.hpp"

namespace parity::faults {

/// False alarms of one judge on one class of correct candidates.
struct Alarms {
  int64_t fixtures = 0;  // number with at least one refused tap
  int64_t taps = 0;      // number of refused taps
};

struct JudgeRow {
  std::string name, rule, source;
  int64_t killed = 0;           // faults for which a tap of numbers is refused on any fixture
  int64_t killed_with_ids = 0;  // also counting ids (as sets in each row) and integers that differ
  Alarms faultless;             // on candidates without a fault
  Alarms recordings;            // on the recordings of the original packages
  Alarms rerounded;             // on each tap's exact value rounded once, as from a more precise component
};

struct JudgedFault {
  const Fault* fault = nullptr;
  int64_t fixtures = 0;      // number of fixtures in which it was planted
  std::vector<bool> killed;  // by row of the study
  bool other_ids = false;    // some ids or integers differ from the reference's
  [[nodiscard]] bool planted() const { return fixtures > 0; }
};

struct JudgesOptions {
  std::vector<std::filesystem::path> goldens;
  std::string select = "*";  // glob over fault ids
  std::string backend{};     // backend around whose kernels faults are planted; empty: the reference
  int threads = 0;           // 0: one per processor
  std::function<void(size_t, size_t)> progress;
};

struct JudgesStudy {
  std::vector<JudgeRow> rows;       // our judge first
  std::vector<JudgedFault> faults;  // all faults that are not equivalent
  int64_t fixtures = 0;
  int64_t taps = 0;        // recorded taps of numbers
  int64_t ids_differ = 0;  // fixtures whose recorded ids or integers differ from the reference's, as sets
};

/// Runs the study. The result does not depend on the number of threads.
[[nodiscard]] JudgesStudy run_judges(const JudgesOptions& options);

}  // namespace parity::faults
