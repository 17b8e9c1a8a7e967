// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/accounting.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"

namespace parity::compare {
namespace {

/// Counts a dataset that is no output (input, yardstick, parameter). Adds an input unknown to the plan to `unread`.
bool count_by_place(const Plan& plan, const std::string& path, TapCounts& taps, std::vector<std::string>& unread) {
  const auto tap = plan.taps.find(path);
  const bool input = tap != plan.taps.end() && tap->second.producer < 0;
  if (!input && path.find("/tokens/") != std::string::npos) unread.push_back(path);
  if (input || path.find("/tokens/") != std::string::npos) return ++taps.input, true;
  if (path.find("/exact/") != std::string::npos) return ++taps.yardstick, true;
  if (path == "config" || path.starts_with("weights/") || path.starts_with("tables/")) return ++taps.parameter, true;
  return false;
}

/// Returns the recorded outputs of the plan, keyed by the dataset that records them: one for each rank that has a part.
std::map<std::string, std::vector<std::string>> recorded_outputs(const Plan& plan, const replay::Recording& recording) {
  std::map<std::string, std::vector<std::string>> outputs;
  for (const auto& [tap, info] : plan.taps) {
    if (info.producer >= 0 && recording.has(tap)) outputs[recording.dataset(tap)].push_back(tap);
  }
  for (const auto& [tap, mismatch] : recording.mismatches()) outputs[tap] = {tap};
  return outputs;
}

/// Returns the taps of the plan for one process of which every rank has only a term of a sum.
std::set<std::string> partial_taps(const Plan& plan) {
  std::set<std::string> taps;
  for (const auto& [tap, info] : plan.taps) {
    if (info.part && info.part->partial) taps.insert(info.part->tap);
  }
  return taps;
}

std::set<std::string> judged_taps(const std::vector<Record>& records) {
  std::set<std::string> taps;
  for (const Record& record : records) {
    if (record.status != Status::error && record.status != Status::skipped) taps.insert(record.tap);
  }
  return taps;
}

}  // namespace

void account_taps(const Plan& plan, const replay::Recording& recording, const std::vector<replay::Span>& spans,
                  const std::string& select, GoldenReport& report) {
  const auto outputs = recorded_outputs(plan, recording);
  const std::set<std::string> partial = partial_taps(plan);
  const std::set<std::string> judged = judged_taps(report.records);
  std::set<std::string> walked;  // taps inside spans
  for (const replay::Span& span : spans) {
    for (const int node : span.nodes) {
      for (const auto& [field, output] : plan.nodes[static_cast<size_t>(node)].outputs) walked.insert(output.name);
    }
  }
  std::vector<std::string> unread;
  for (const golden::DatasetInfo& dataset : recording.file().datasets()) {
    if (recording.left_out().contains(dataset.path)) continue;  // already counted as an output that is not recorded
    const auto output = outputs.find(dataset.path);
    if (output != outputs.end()) {
      for (const std::string& tap : output->second) {
        const bool wanted = glob_match(select, tap);
        ++(judged.contains(tap) ? report.taps.judged : wanted ? report.taps.unjudged : report.taps.unselected);
      }
    } else if (partial.contains(dataset.path)) {
      continue;  // counted below, as taps of ranks
    } else if (count_by_place(plan, dataset.path, report.taps, unread)) {
      continue;
    } else if (plan.aliases.contains(dataset.path) || !dataset.alias_of.empty()) {
      ++report.taps.alias;
    } else {
      ++report.taps.unknown;
      report.unknown_taps.push_back(dataset.path);
    }
  }
  if (!unread.empty())
    report.notes.push_back(fmt::format("the model does not read {} of the recorded inputs: {}{}", unread.size(),
                                       unread.front(), unread.size() > 1 ? ", …" : ""));
  for (const auto& [tap, info] : plan.taps) {
    if (info.producer >= 0) report.outputs[tap] = plan.nodes[static_cast<size_t>(info.producer)].component;
    if (info.producer < 0 || recording.has(tap) || recording.mismatches().contains(tap)) continue;
    ++(judged.contains(tap)   ? report.taps.judged
       : walked.contains(tap) ? report.taps.spanned
                              : report.taps.not_recorded);
  }
}

void recount_judged(GoldenReport& report) {
  const int64_t known = report.taps.judged + report.taps.unjudged;
  const std::set<std::string> judged = judged_taps(report.records);
  report.taps.judged =
      std::count_if(judged.begin(), judged.end(), [&](const std::string& tap) { return report.outputs.contains(tap); });
  report.taps.unjudged = known - report.taps.judged;
}

}  // namespace parity::compare
