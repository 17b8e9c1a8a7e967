// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "cli/runs/run_parts.hpp"
#include "compare/judging/accepted.hpp"

namespace parity::cli {
namespace {

/// Whether no tap was judged and no golden is in error, unimplemented or mistrusted.
bool nothing_judged(const compare::RunReport& report) {
  return std::none_of(report.goldens.begin(), report.goldens.end(), [](const compare::GoldenReport& golden) {
    const bool refused = golden.verdict == compare::Status::error || golden.verdict == compare::Status::unimplemented ||
                         golden.verdict == compare::Status::mistrusted;
    return refused || std::any_of(golden.records.begin(), golden.records.end(), [](const compare::Record& record) {
             return record.status != compare::Status::skipped && record.status != compare::Status::not_recorded;
           });
  });
}

/// Whether every failure was accepted and nothing is missing. An accepted failure does not excuse a missing tap.
bool all_accepted(const compare::RunReport& report) {
  return std::all_of(report.goldens.begin(), report.goldens.end(), [](const compare::GoldenReport& golden) {
    const auto open = [&](const compare::Record& record) { return compare::is_open(record, golden.policy); };
    const auto unimplemented = [](const compare::Record& record) {
      return record.status == compare::Status::unimplemented;
    };
    const bool lacking = !golden.not_shown.empty() || !golden.reason.empty() ||
                         std::any_of(golden.records.begin(), golden.records.end(), unimplemented);
    return !lacking && std::none_of(golden.records.begin(), golden.records.end(), open);
  });
}

}  // namespace

int exit_code_of(const compare::RunReport& report, int damage) {
  if (damage != holds) return damage;
  if (nothing_judged(report)) return nothing_ran;
  if (report.answer == compare::Answer::not_shown) return broken;
  return all_accepted(report) ? holds : broken;
}

}  // namespace parity::cli
