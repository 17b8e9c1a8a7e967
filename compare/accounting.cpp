// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/accounting.hpp"

#include <set>

namespace parity::compare {
namespace {

/// Inputs, yardsticks and parameters by their place in the file.
bool count_by_place(const Plan& plan, const std::string& path, TapCounts& taps) {
  const auto tap = plan.taps.find(path);
  const bool input = tap != plan.taps.end() && tap->second.producer < 0;
  if (input || path.find("/tokens/") != std::string::npos) return ++taps.input, true;
  if (path.find("/exact/") != std::string::npos) return ++taps.yardstick, true;
  if (path == "config" || path.starts_with("weights/") || path.starts_with("tables/")) return ++taps.parameter, true;
  return false;
}

}  // namespace

void account_taps(const Plan& plan, const replay::Recording& recording, const std::vector<replay::Span>& spans,
                  GoldenReport& report) {
  std::set<std::string> judged;  // datasets
  std::set<std::string> walked;  // taps inside spans
  for (const replay::Span& span : spans) {
    for (const std::string& tap : span.judged) judged.insert(recording.dataset(tap));
    for (const int node : span.nodes) {
      for (const auto& [field, output] : plan.nodes[static_cast<size_t>(node)].outputs) walked.insert(output.name);
    }
  }
  for (const auto& [tap, mismatch] : recording.mismatches()) judged.insert(tap);
  for (const golden::DatasetInfo& dataset : recording.file().datasets()) {
    if (judged.contains(dataset.path)) {
      ++report.taps.judged;
    } else if (count_by_place(plan, dataset.path, report.taps)) {
      continue;
    } else if (plan.aliases.contains(dataset.path) || !dataset.alias_of.empty()) {
      ++report.taps.alias;
    } else {
      ++report.taps.unknown;
      report.unknown_taps.push_back(dataset.path);
    }
  }
  for (const auto& [tap, info] : plan.taps) {
    if (info.producer < 0 || recording.has(tap)) continue;
    ++(walked.contains(tap) ? report.taps.spanned : report.taps.not_recorded);
  }
}

}  // namespace parity::compare
