// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/record_text.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "reports/format.hpp"

namespace parity::reports {
namespace {

using compare::Mode;
using compare::Record;
using compare::Status;

std::string tag(Status status) {
  std::string result = to_string(status);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

/// "200% of budget   3/104448 elements"; empty when nothing was compared.
std::string extent_of_failure(const Record& record) {
  if (!is_judged(record.status)) return {};
  if (record.discrete)
    return fmt::format("{}/{} rows break the contract", record.discrete->violations, record.discrete->rows);
  if (record.elements == 0) return {};
  return fmt::format("{} of budget   {}/{} elements", percent(record.budget_used), record.failed, record.elements);
}

std::string heading(const Record& record) {
  std::string text = fmt::format("{} {}   {}", tag(record.status), plain(record.tap), plain(record.component));
  if (record.mode != Mode::isolated) text += fmt::format(" [{}]", to_string(record.mode));
  if (!record.shape.empty()) {
    text += fmt::format("  {} {}", to_string(record.dtype), shape_text(record.axes, record.shape));
  }
  const std::string extent = extent_of_failure(record);
  if (!extent.empty()) text += "   " + extent;
  return record.accepted.empty() ? text : text + "   accepted: " + plain(record.accepted);
}

std::string worst_element(const Record& record) {
  const compare::Worst& worst = record.worst;
  std::string text =
      fmt::format("{}  exact {} → {} {}   got {}   {} ulp", index_text(record.axes, worst.index),
                  element(record.dtype, worst.exact), to_string(record.dtype), element(record.dtype, worst.rounded),
                  element(record.dtype, worst.got), number(worst.ulp));
  if (record.mode != Mode::isolated) {
    text += fmt::format("   relative error {}: inherited {}, added {}", number(record.relative_error),
                        number(record.inherited), number(record.added));
  }
  return text;
}

std::string choices(const compare::Discrete& discrete) {
  return fmt::format("must {}, may {}, must not {}; {} flips where {} are expected; score error {}", discrete.must,
                     discrete.may, discrete.must_not, discrete.flips, number(discrete.expected),
                     number(discrete.delta));
}

}  // namespace

Outcome outcome_of(Status status, const std::string& reason) {
  switch (status) {
    case Status::pass:
      return Outcome::passed;
    case Status::not_recorded:
      return Outcome::skipped;
    case Status::skipped:
      return reason.empty() ? Outcome::failed : Outcome::skipped;
    case Status::error:
      return Outcome::error;
    case Status::fail:
    case Status::mistrusted:
    case Status::unimplemented:
      break;
  }
  return Outcome::failed;
}

Outcome outcome_of(const Record& record) { return outcome_of(record.status, record.reason); }

bool is_judged(Status status) {
  return status == Status::pass || status == Status::fail || status == Status::mistrusted;
}

std::string failing_text(const Record& record) {
  std::string text = heading(record);
  const auto line = [&](const char* word, const std::string& content) {
    if (!content.empty()) text += fmt::format("\n     {:<5} {}", word, content);
  };
  if (record.discrete) {
    line("ids", choices(*record.discrete));
  } else if (!record.worst.index.empty()) {
    line("worst", worst_element(record));
  }
  const std::string why = plain(record.reason);
  if (record.where.empty()) {
    line("why", why);
  } else {
    line("where", plain(record.where) + (why.empty() ? "" : "; " + why));
  }
  line("repro", plain(record.repro));
  return text;
}

std::string short_text(const Record& record) {
  const std::string extent = extent_of_failure(record);
  const std::string reason = plain(record.reason);
  if (extent.empty() || reason.empty()) return extent + reason;
  return extent + ": " + reason;
}

}  // namespace parity::reports
