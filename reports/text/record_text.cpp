// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/record_text.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "compare/values/region.hpp"
#include "reports/text/format.hpp"

namespace parity::reports {
namespace {

using compare::Mode;
using compare::Record;
using compare::Status;

constexpr const char* kInherited = "the input was wrong; on the right input the node is right";

std::string tag(Status status) {
  std::string result = to_string(status);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

std::string elements(int64_t count) { return fmt::format("{} element{}", count, count == 1 ? "" : "s"); }

std::string choices(const compare::Discrete& discrete) {
  return fmt::format("{} must be chosen, {} may be, {} must not be; {} flips, {} expected; score error {}",
                     discrete.must, discrete.may, discrete.must_not, discrete.flips, number(discrete.expected),
                     number(discrete.delta));
}

std::string nan_text(const compare::NotNumbers& nan) {
  if (nan.computed == 0) return fmt::format("{} never written", elements(nan.never_written));
  const std::string computed = fmt::format("{} computed NaN", elements(nan.computed));
  return nan.never_written == 0 ? computed : fmt::format("{} never written, {}", elements(nan.never_written), computed);
}

/// Returns how much of a chained error came with the inputs, and how much this node added.
std::string shares_of_error(const Record& record) {
  if (record.mode == Mode::isolated || !is_judged(record.status) || record.discrete) return {};
  if (non_finite_name(record.relative_error) != nullptr) return {};
  return fmt::format("{} of the largest magnitude: {} inherited from the inputs, {} added by this node",
                     number(record.relative_error), number(record.inherited), number(record.added));
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

Inherited::Inherited(const compare::GoldenReport& golden) {
  std::set<std::string> right;
  std::set<Mode> failed;  // modes that already have a failure
  for (const Record& record : golden.records) {
    const bool fails = record.status == Status::fail;
    if (record.mode == Mode::isolated && record.status == Status::pass) right.insert(record.tap);
    if (fails && record.mode != Mode::isolated && failed.contains(record.mode) && right.contains(record.tap))
      records_.insert(&record);
    if (fails) failed.insert(record.mode);
  }
}

std::string extent_of_failure(const Record& record) {
  if (!is_judged(record.status)) return {};
  if (record.discrete)
    return fmt::format("{} of {} rows are wrong", record.discrete->violations, record.discrete->rows);
  if (record.elements == 0) return {};
  return fmt::format("{}, {} of {} elements beyond it", limit_text(record.budget_used), record.failed, record.elements);
}

std::string worst_element(const Record& record) {
  const compare::Worst& worst = record.worst;
  if (record.discrete || worst.index.empty()) return {};
  constexpr double kTelling = 1e4;  // ulp; above this it is an unrelated number
  const std::string at =
      worst.at.empty() ? compare::position_text(record.axes, record.shape, worst.index, {}) : worst.at;
  const std::string steps = worst.ulp <= kTelling ? fmt::format(" ({} ulp)", number(worst.ulp)) : "";
  return fmt::format("{}: exact {} ({}: {}), got {}{}", plain(at), element(record.dtype, worst.exact),
                     to_string(record.dtype), element(record.dtype, worst.rounded), element(record.dtype, worst.got),
                     steps);
}

std::string failing_head(const Record& record) {
  std::string text = fmt::format("{} {}   {}", tag(record.status), plain(record.tap), plain(record.component));
  if (record.mode != Mode::isolated) text += fmt::format(" [{}]", to_string(record.mode));
  if (!record.shape.empty())
    text += fmt::format("  {} {}", to_string(record.dtype), shape_text(record.axes, record.shape));
  const std::string extent = extent_of_failure(record);
  if (!extent.empty()) text += "   " + extent;
  return record.accepted.empty() ? text : text + "   accepted: " + plain(record.accepted);
}

std::vector<Detail> failing_details(const Record& record, bool inherited) {
  std::vector<Detail> details;
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) details.push_back({label, text});
  };
  if (record.discrete) add("ids", choices(*record.discrete));
  add("worst", worst_element(record));
  add("error", shares_of_error(record));
  const std::string why = plain(record.findings.empty() ? record.reason : record.found);
  if (record.where.empty()) {
    add("why", why);
  } else {
    add("where", plain(record.where) + (why.empty() ? "" : "; " + why));
  }
  for (const auto& finding : record.findings) {
    for (size_t i = 0; i < finding.size(); ++i) add(i == 0 ? "found" : "", plain(finding[i]));
  }
  if (record.nan) add("NaN", nan_text(*record.nan));
  if (inherited) add("note", kInherited);
  add("repro", plain(record.repro));
  return details;
}

std::string failing_text(const Record& record, bool inherited) {
  std::string text = failing_head(record);
  for (const Detail& detail : failing_details(record, inherited))
    text += fmt::format("\n     {:<5} {}", detail.label, detail.text);
  return text;
}

std::string short_text(const Record& record) {
  const std::string extent = extent_of_failure(record);
  const std::string reason = plain(record.reason);
  if (extent.empty() || reason.empty()) return extent + reason;
  return extent + ": " + reason;
}

}  // namespace parity::reports
