// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/verdict.hpp"

#include <algorithm>

namespace parity::compare {

Status worst_status(const std::vector<Record>& records) {
  for (const Status status :
       {Status::error, Status::fail, Status::unimplemented, Status::mistrusted, Status::pass, Status::skipped}) {
    if (std::any_of(records.begin(), records.end(), [&](const Record& r) { return r.status == status; })) return status;
  }
  return Status::not_recorded;
}

bool is_wrong(const Record& record) {
  return (record.status == Status::fail || record.status == Status::error) && !record.deviation;
}

namespace {

bool deviates(const Record& record) { return record.deviation.has_value(); }

/// Explains a chained or forced divergence. Returns "" for an isolated one, whose error is its own.
std::string explanation_of(const Record& record, bool both) {
  if (record.mode == Mode::isolated) return "";
  const std::string mode = to_string(record.mode);
  return both ? "only in mode " + mode + ": the error accumulates"
              : "in mode " + mode + "; run --mode isolated to see which node causes the error";
}

}  // namespace

std::optional<Divergence> first_divergence(const std::vector<Record>& records) {
  const auto isolated = [](const Record& record) { return record.mode == Mode::isolated; };
  const bool both = std::any_of(records.begin(), records.end(), isolated);
  const auto first = [&](auto concerns, bool alone) -> const Record* {
    const auto found = std::find_if(records.begin(), records.end(),
                                    [&](const Record& r) { return isolated(r) == alone && concerns(r); });
    return found == records.end() ? nullptr : &*found;
  };
  for (const Record* record :
       {first(is_wrong, true), first(is_wrong, false), first(deviates, true), first(deviates, false)}) {
    if (record != nullptr)
      return Divergence{record->tap, record->component, record->layer, explanation_of(*record, both)};
  }
  return std::nullopt;
}

Answer answer_of(const GoldenReport& golden) {
  const auto any = [&](auto is) { return std::any_of(golden.records.begin(), golden.records.end(), is); };
  const auto has = [&](Status status) { return any([=](const Record& r) { return r.status == status; }); };
  if (any([](const Record& r) { return r.status == Status::fail && !r.deviation; })) return Answer::wrong;
  const bool judged = has(Status::pass) || any(deviates);
  const bool open = !golden.reason.empty() || !golden.not_shown.empty() || has(Status::error) ||
                    has(Status::mistrusted) || has(Status::unimplemented);
  if (open || !judged) return Answer::not_shown;
  return any(deviates) ? Answer::rounds_differently : Answer::conforms;
}

void conclude(RunReport& report) {
  report.counts.clear();
  report.verdict = Status::not_recorded;
  for (const Status status : {Status::skipped, Status::pass, Status::not_recorded, Status::mistrusted,
                              Status::unimplemented, Status::error, Status::fail}) {
    for (const GoldenReport& golden : report.goldens) {
      if (golden.verdict == status) report.verdict = status;  // later statuses in this list take precedence
    }
  }
  report.answer = Answer::conforms;
  bool judged = false;
  for (const Answer answer : {Answer::rounds_differently, Answer::not_shown, Answer::wrong}) {
    for (const GoldenReport& golden : report.goldens) {
      if (golden.verdict == Status::skipped) continue;  // none of its values are the candidate's
      judged = true;
      if (golden.answer == answer) report.answer = answer;  // later answers in this list take precedence
    }
  }
  if (!judged) report.answer = Answer::not_shown;
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) ++report.counts[to_string(record.status)];
    const bool worst = golden.answer == report.answer;  // a golden with the worst answer comes first
    if (report.first_divergence || !golden.first_divergence || !worst) continue;
    report.first_divergence = golden.first_divergence;
    report.causes = golden.causes;
  }
}

}  // namespace parity::compare
