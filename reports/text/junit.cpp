// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/junit.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/text/format.hpp"
#include "reports/text/record_text.hpp"

namespace parity::reports {
namespace {

using compare::GoldenReport;
using compare::Record;

std::string escape(std::string_view text) {
  std::string result;
  for (const char c : plain(text, true)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&apos;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// The test suite of one golden. Cases are in plan order; the class of a case is its component.
struct Suite {
  std::string name;
  double seconds = 0.0;
  std::string cases;
  int64_t tests = 0;
  int64_t failures = 0;
  int64_t errors = 0;
  int64_t skipped = 0;
};

/// Returns the element that viewers show below a case. `message` is one line, `text` may be longer.
std::string verdict(Outcome outcome, const char* type, const std::string& message, const std::string& text) {
  if (outcome == Outcome::passed) return {};
  if (outcome == Outcome::skipped) return fmt::format("      <skipped message=\"{}\"/>\n", escape(message));
  const char* element = outcome == Outcome::error ? "error" : "failure";
  return fmt::format("      <{} message=\"{}\" type=\"{}\">{}</{}>\n", element, escape(message), type, escape(text),
                     element);
}

struct Case {
  std::string name, component;
  double seconds = 0.0;
};

void add_case(Suite& suite, const Case& one, Outcome outcome, const std::string& content) {
  ++suite.tests;
  suite.failures += outcome == Outcome::failed ? 1 : 0;
  suite.errors += outcome == Outcome::error ? 1 : 0;
  suite.skipped += outcome == Outcome::skipped ? 1 : 0;
  suite.cases += fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3f}\"", escape(one.name),
                             escape(suite.name + "." + one.component), one.seconds);
  suite.cases += content.empty() ? "/>\n" : fmt::format(">\n{}    </testcase>\n", content);
}

/// `ranks` says which rank or link is wrong, of the first divergence.
void add_record(Suite& suite, const Record& record, bool inherited, const std::string& ranks) {
  std::string content;
  if (is_judged(record.status)) {
    content = fmt::format("      <properties><property name=\"budget_used\" value=\"{}\"/></properties>\n",
                          number(record.budget_used, 6));
  }
  const Outcome outcome = outcome_of(record);
  const std::string message = record.tap + ": " + short_text(record) + (ranks.empty() ? "" : "; " + ranks);
  content += verdict(outcome, to_string(record.status), message, failing_text(record, inherited));
  const std::string name = fmt::format("{}#{} [{}]", suite.name, record.tap, to_string(record.mode));
  add_case(suite, {name, record.component, record.seconds}, outcome, content);
}

Suite suite_of(const GoldenReport& golden) {
  Suite suite;
  suite.name = golden.name.empty() ? golden.path : golden.name;
  suite.seconds = golden.seconds;
  const bool empty = golden.records.empty();
  if (empty || !golden.reason.empty()) {
    const std::string reason = golden.reason.empty() ? "no tap of this golden was judged" : golden.reason;
    Outcome outcome = outcome_of(golden.verdict, golden.reason);
    if (empty && outcome == Outcome::passed) outcome = Outcome::error;
    add_case(suite, {suite.name, "golden", golden.seconds}, outcome,
             verdict(outcome, to_string(golden.verdict), reason, reason));
  }
  const Inherited inherited(golden);
  for (const Record& record : golden.records) {
    const bool named = golden.ranks && golden.ranks->tap == record.tap;
    add_record(suite, record, inherited.contains(record), named ? golden.ranks->text : "");
  }
  return suite;
}

std::string counts(const Suite& suite) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", suite.tests,
                     suite.failures, suite.errors, suite.skipped, suite.seconds);
}

}  // namespace

std::string junit_xml(const compare::RunReport& report) {
  std::vector<Suite> suites;
  for (const GoldenReport& golden : report.goldens) suites.push_back(suite_of(golden));
  if (suites.empty()) {
    suites.emplace_back().name = "parity";
    add_case(suites.back(), {"run", "run"}, Outcome::error,
             verdict(Outcome::error, "error", "nothing ran", report.command));
  }
  Suite all;
  for (const Suite& suite : suites) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.skipped += suite.skipped;
    all.seconds += suite.seconds;
  }
  std::string xml =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"parity\" {}>\n", counts(all));
  for (const Suite& suite : suites) {
    xml +=
        fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", escape(suite.name), counts(suite), suite.cases);
  }
  return xml + "</testsuites>\n";
}

}  // namespace parity::reports
