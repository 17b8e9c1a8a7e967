// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: the embedded goldens, changed copies of them, and judging them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "compare/goldens/golden_run.hpp"
#include "golden/files/temporary_folder.hpp"
#include "replay/testing/golden_copy.hpp"

namespace parity::compare::tests {

using golden::TemporaryFolder;
using replay::tests::Changes;
using replay::tests::copy_golden;
using replay::tests::with_element;

namespace fs = std::filesystem;

inline const fs::path kData = "golden/data";  // relative to the repository root, where tests run

inline std::vector<std::string> embedded_goldens() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kData)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline RunOptions only(Mode mode, const std::string& select = "*") {
  RunOptions options;
  options.mode = mode;
  options.select = select;
  return options;
}

inline GoldenReport judge(const fs::path& folder, const RunOptions& options = {}) {
  return run_golden(golden::Golden::open(folder), options);
}

/// Returns "fail steps/… (component): reason" for each record that does not pass, as a test message.
inline std::string complaints(const GoldenReport& report) {
  std::string text;
  for (const Record& r : report.records) {
    if (r.status != Status::pass) {
      text += fmt::format("{} {} ({}, {}): {} {}\n", to_string(r.status), r.tap, r.component, to_string(r.mode),
                          r.reason, r.where);
    }
  }
  return text;
}

/// Returns the tensor with one element changed by a tenth of its largest magnitude.
inline Tensor tampered(const Tensor& recorded) {
  const TensorView& view = recorded.view();
  double largest = 0.0;
  for (int64_t i = 0; i < view.count(); ++i) {
    if (std::isfinite(view.value(i))) largest = std::max(largest, std::abs(view.value(i)));
  }
  int64_t at = view.count() * 2 / 3;
  while (!std::isfinite(view.value(at))) ++at;
  return with_element(recorded, at, view.value(at) + 0.1 * largest);
}

inline const Record* find(const GoldenReport& report, const std::string& tap, Mode mode = Mode::isolated) {
  for (const Record& record : report.records) {
    if (record.tap == tap && record.mode == mode) return &record;
  }
  return nullptr;
}

}  // namespace parity::compare::tests
