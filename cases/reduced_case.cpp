// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/reduced_case.hpp"

#include <algorithm>
#include <cctype>

#include "cases/reduce.hpp"

namespace parity::cases {
namespace {

using compare::Record;

bool fails_in_part(const Record& record) {
  const auto telling = [](const compare::Positions& part) { return part.telling(); };
  return record.status == compare::Status::fail && record.failed > 0 && record.failed < record.elements &&
         std::any_of(record.region.begin(), record.region.end(), telling);
}

/// "race in norm: …" of "kernel.cu:7 (PTX line 30)": kind and line of the first finding.
std::string finding_text(const std::vector<std::string>& lines) {
  std::string text = lines.front().substr(0, lines.front().find(':'));
  if (lines.size() > 1) text += lines[1].substr(std::min(lines[1].find(", at "), lines[1].size()));
  return text;
}

std::vector<std::string> errors_of(const Record& record) {
  std::vector<std::string> texts;
  for (const auto& finding : record.findings) texts.push_back(finding_text(finding));
  if (!texts.empty()) return texts;
  std::string text = record.reason;
  std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  return {text};
}

/// Whether it matters which elements are wrong: in a sum, or in a rounding, any may be right by chance.
bool has_place(const std::optional<compare::ValueMatch>& values) {
  using Kind = compare::ValueKind;
  return !values ||
         (values->kind != Kind::scaled_rows && values->kind != Kind::rounded && values->kind != Kind::truncated);
}

}  // namespace

bool FailurePattern::shows(const FailurePattern& other) const {
  const auto known = [&](const std::string& error) {
    return std::find(other.errors.begin(), other.errors.end(), error) != other.errors.end();
  };
  const bool both = errors.empty() ? other.errors.empty() : known(errors.front());
  if (!both || (!other.values.empty() && values != other.values)) return false;
  return (in_part || !other.in_part) && (at_end || !other.at_end) && (periodic || !other.periodic);
}

FailurePattern pattern_of(const Record& record, const std::optional<compare::ValueMatch>& values) {
  FailurePattern pattern;
  if (record.status == compare::Status::error) pattern.errors = errors_of(record);
  if (values) pattern.values = std::string(to_string(values->kind)) + " " + values->axis;
  pattern.in_part = has_place(values) && fails_in_part(record);
  for (const compare::Positions& part : record.region) {
    if (!pattern.in_part || !part.telling()) continue;
    const bool periodic = part.kind == compare::Positions::Kind::periodic;
    pattern.periodic = pattern.periodic || periodic;
    pattern.at_end = pattern.at_end || (!periodic && part.first > 0 && part.last + 1 == part.extent);
  }
  return pattern;
}

size_t most_telling(const std::vector<std::optional<Record>>& records, const std::function<bool(size_t)>& described) {
  constexpr size_t kAsked = 16;
  std::vector<size_t> failing;  // those of the first failing output
  for (size_t i = 0; i < records.size(); ++i) {
    const bool wrong = records[i] && is_wrong(*records[i]);
    if (wrong && (failing.empty() || records[i]->tap == records[failing.front()]->tap)) failing.push_back(i);
  }
  PARITY_CHECK(!failing.empty(), internal, "no case failed");
  if (records[failing.front()]->status != compare::Status::fail) return failing.front();
  const auto part = std::find_if(failing.begin(), failing.end(), [&](size_t i) { return fails_in_part(*records[i]); });
  if (part != failing.end()) return *part;
  if (failing.size() > kAsked) failing.resize(kAsked);
  const auto known = std::find_if(failing.begin(), failing.end(), described);
  return known == failing.end() ? failing.front() : *known;
}

CaseFailure reduced_case(const CaseSpec& spec, const CaseKernel& kernel, const Record& found) {
  const auto values_in = [&](const CaseSpec& smaller, const Record& record) {
    return record.status == compare::Status::fail ? values_of(smaller, kernel, found.tap) : std::nullopt;
  };
  const FailurePattern pattern = pattern_of(found, values_in(spec, found));
  const auto limited = [&](const AxisSizes& limits) -> std::optional<CaseSpec> {
    CaseSpec smaller = spec;
    for (const auto& [letter, extent] : limits) smaller.given[letter] = extent;
    return kernel.fitted ? kernel.fitted(smaller) : smaller;
  };
  const AxisSizes limits = reduced(draw_case(spec).drawn, [&](const AxisSizes& tried) {
    try {
      const auto smaller = limited(tried);
      if (!smaller) return false;
      const Record record = worst_record(*smaller, kernel);
      if (!is_wrong(record) || record.tap != found.tap) return false;  // any other failure would be another case
      return pattern_of(record, pattern.values.empty() ? std::nullopt : values_in(*smaller, record)).shows(pattern);
    } catch (const Error&) {  // the smaller case has no node for the fault
      return false;
    }
  });
  CaseSpec smallest = limits.empty() ? spec : limited(limits).value();
  const DrawnCase drawn = draw_case(smallest);
  for (auto& [letter, extent] : smallest.given) extent = drawn.drawn.at(letter);  // another extent may forbid the limit
  const Record record = worst_record(smallest, kernel);
  return {smallest, spec, found.where, text_of(drawn, kernel), record, values_in(smallest, record)};
}

}  // namespace parity::cases
