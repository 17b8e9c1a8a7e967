// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/verdict.hpp"

#include <algorithm>

namespace parity::compare {

Status worst_status(const std::vector<Record>& records) {
  for (const Status status :
       {Status::error, Status::fail, Status::unimplemented, Status::mistrusted, Status::pass, Status::skipped}) {
    if (std::any_of(records.begin(), records.end(), [&](const Record& r) { return r.status == status; })) return status;
  }
  return Status::not_recorded;
}

std::optional<Divergence> first_divergence(const std::vector<Record>& records) {
  const bool both =
      std::any_of(records.begin(), records.end(), [](const Record& r) { return r.mode == Mode::isolated; });
  for (const bool isolated : {true, false}) {
    for (const Record& record : records) {
      if ((record.mode == Mode::isolated) != isolated ||
          (record.status != Status::fail && record.status != Status::error))
        continue;
      const std::string mode = to_string(record.mode);
      return Divergence{record.tap, record.component, record.layer,
                        isolated ? ""
                        : both   ? "only in " + mode + " replay: the error accumulates"
                               : "in " + mode + " replay; isolated replay, which was not run, says whose error it is"};
    }
  }
  return std::nullopt;
}

void conclude(RunReport& report) {
  report.counts.clear();
  report.verdict = Status::not_recorded;
  for (const Status status : {Status::skipped, Status::pass, Status::not_recorded, Status::mistrusted,
                              Status::unimplemented, Status::error, Status::fail}) {
    for (const GoldenReport& golden : report.goldens) {
      if (golden.verdict == status) report.verdict = status;  // the last in this list outranks the others
    }
  }
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) ++report.counts[to_string(record.status)];
    if (report.first_divergence || !golden.first_divergence) continue;
    report.first_divergence = golden.first_divergence;
    report.causes = golden.causes;
  }
}

}  // namespace parity::compare
