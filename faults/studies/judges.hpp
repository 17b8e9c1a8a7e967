// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the published predicates of other projects would have said of the candidates that the kill matrix judges. They see
// what our judge sees: every recorded tap beside the reference on the candidate's own inputs, as a test of one kernel does.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compare/other_judges.hpp"
#include "faults/studies/planting.hpp"

namespace parity::faults {

/// What one judge said of one class of correct candidates.
struct Alarms {
  int64_t fixtures = 0;  // with at least one tap refused
  int64_t taps = 0;      // refused
};

struct JudgeRow {
  std::string name, rule, source;
  int64_t killed = 0;           // faults with a refused tap of numbers on any fixture
  int64_t killed_with_ids = 0;  // the same when ids are compared too: as sets in each row, integers as they are
  Alarms faultless;             // candidates without a fault
  Alarms recordings;            // what the real packages computed
  Alarms rerounded;             // the exact value of each tap, rounded once: a component that computes more precisely
};

struct JudgedFault {
  const Fault* fault = nullptr;
  int64_t fixtures = 0;      // where it was planted
  std::vector<bool> killed;  // by row of the study
  bool other_ids = false;    // some ids or integers are not the reference's
  [[nodiscard]] bool planted() const { return fixtures > 0; }
};

struct JudgesOptions {
  std::vector<std::filesystem::path> goldens;
  std::string select = "*";  // glob over fault ids
  std::string backend{};     // whose kernels faults are planted around; empty: the reference
  int threads = 0;           // 0: one per processor
  std::function<void(size_t, size_t)> progress;
};

struct JudgesStudy {
  std::vector<JudgeRow> rows;       // ours first
  std::vector<JudgedFault> faults;  // those that are not equivalent
  int64_t fixtures = 0;
  int64_t taps = 0;        // of numbers, in the recordings
  int64_t ids_differ = 0;  // fixtures in whose recordings ids or integers are not the reference's, as sets
};

/// The same options give the same study, whatever the number of threads.
[[nodiscard]] JudgesStudy run_judges(const JudgesOptions& options);

}  // namespace parity::faults
