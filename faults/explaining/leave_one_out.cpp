// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/leave_one_out.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/ranges.h>

#include "cases/parallel.hpp"
#include "compare/judging/elements.hpp"
#include "faults/catalogue.hpp"
#include "faults/computed.hpp"
#include "faults/edits/notation.hpp"
#include "faults/explaining/explain.hpp"
#include "faults/explaining/probe.hpp"

namespace parity::faults {
namespace {

/// Returns the ids of the fault and of all faults with equal edits.
std::set<std::string> taken_out(const Fault& fault) {
  std::set<std::string> ids;
  for (const Fault& other : catalogue()) {
    if (other.component == fault.component && notation_of(other.edits) == notation_of(fault.edits))
      ids.insert(other.id);
  }
  return ids;
}

/// Difference of a tap between the named explanation and the planted fault.
struct Difference {
  bool same = true;     // equal except for one element in a hundred
  bool beyond = false;  // the mean difference exceeds a rounding of the tap's type
};

Difference difference_of(const Tensor& planted, const Tensor& named) {
  const int64_t count = planted.view().count();
  int64_t unequal = 0;
  double sum = 0.0, size = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    const double a = planted.view().value(i), b = named.view().value(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) {
      if (std::isfinite(a)) size += a * a;
      continue;
    }
    ++unequal;
    if (!std::isfinite(a) || !std::isfinite(b)) return {false, true};
    sum += (a - b) * (a - b);
    size += a * a;
  }
  const bool few = unequal * compare::kUnexplainedOneIn <= count;
  const double rms = std::sqrt(sum / std::max(size, 1e-300));
  if (!is_float(planted.dtype())) return {few, !few};
  // A number fitted to binary32 values is known only to a few of their roundings.
  constexpr double kFitted = 4.0;
  const double fitted = kFitted * unit_roundoff(DType::f32);
  return {few || rms <= fitted, rms > std::max(unit_roundoff(planted.dtype()), fitted)};
}

/// Returns the values of the taps, or nullopt if the reading cannot be computed.
std::optional<Probe::Outputs> values_of(const Reading& reading, const replay::Span& span,
                                        const std::set<std::string>& taps) {
  try {
    return Probe(reading, span, taps).evaluated({});
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Compares the planted fault with the named ones at each node, on the candidate's own inputs.
Described compared(const Fault& planted, const std::vector<Explanation>& found, const golden::Golden& golden,
                   const compare::RunOptions& options) {
  std::vector<Fault> named;
  std::string profile;
  for (const Explanation& explanation : found) {
    named.insert(named.end(), explanation.faults.begin(), explanation.faults.end());
    if (!explanation.profile.empty()) profile = explanation.profile;
  }
  const compare::OpenedRun opened(golden, options);
  const auto own = std::make_shared<const Base>(opened, std::string());
  const auto other = profile.empty() ? own : std::make_shared<const Base>(opened, profile);
  const Reading right(opened, own), theirs(opened, own, {planted}), ours(opened, other, named);
  int64_t same = 0, unlike = 0;
  bool beyond = false;
  for (const replay::Span& span : theirs.spans()) {
    const bool touched = theirs.touches(planted, span);
    const bool claimed = std::any_of(named.begin(), named.end(), [&](const Fault& f) { return ours.touches(f, span); });
    if (!touched && !claimed) continue;
    const std::set<std::string> taps(span.judged.begin(), span.judged.end());
    const replay::Span* our_span = ours.span_of(span.judged.front());
    const replay::Span* right_span = right.span_of(span.judged.front());
    if (our_span == nullptr || right_span == nullptr) continue;
    const auto as_planted = Probe(theirs, span, taps).evaluated({});
    const auto as_named = values_of(ours, *our_span, taps);
    if (!as_named) {
      ++unlike;
      continue;
    }
    const auto as_right = Probe(right, *right_span, taps).evaluated({});
    for (const auto& [tap, values] : as_planted) {
      const Difference difference = difference_of(values, as_named->at(tap));
      const bool shows = !difference_of(values, as_right.at(tap)).same;
      const bool silent = difference_of(as_right.at(tap), as_named->at(tap)).same;
      if (difference.same) {
        same += shows ? 1 : 0;
      } else {
        ++unlike;
        beyond = beyond || (difference.beyond && !silent);  // without an explanation there is no wrong claim
      }
    }
  }
  if (beyond) return Described::wrong;
  if (unlike == 0) return Described::same;
  return same > 0 ? Described::partly : Described::nearly;
}

void explain_left_out(const LeaveOneOutOptions& settings, LeftOut& row) {
  const auto started = std::chrono::steady_clock::now();
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;
  options.candidate = compare::RunOptions::Candidate::computed;
  options.computed = with_fault_word("", row.fault->id);
  options.compute = compute_of(options.computed);
  options.policy = compare::Policy::bits;  // only the planted fault differs from the oracle
  const auto golden = golden::Golden::open(row.fixture);
  const auto report = compare::run_golden(golden, options);
  ExplainSettings explain;
  explain.seconds = settings.seconds;
  explain.left_out = taken_out(*row.fault);
  const Findings findings = investigate(golden, options, report, explain);
  if (!findings.explanations.empty()) {
    std::vector<std::string> names;
    for (const compare::Cause& cause : findings.causes()) names.push_back(cause.value);
    row.named = fmt::format("{}", fmt::join(names, " and "));
    row.described = compared(*row.fault, findings.explanations, golden, options);
  }
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

const char* kind_of_edit(const Edit& edit) {
  constexpr const char* kNames[] = {"parameter", "operand", "operand",  "function", "weight",
                                    "operand",   "result",  "rounding", "function", "rank"};
  static_assert(std::size(kNames) == std::variant_size_v<Edit>);
  return kNames[edit.index()];
}

}  // namespace

const char* to_string(Described described) {
  switch (described) {
    case Described::same:
      return "same";
    case Described::partly:
      return "partly";
    case Described::nearly:
      return "nearly";
    case Described::nothing:
      return "nothing";
    case Described::wrong:
      return "wrong";
  }
  return "unknown";
}

std::string edit_kind_of(const Fault& fault) {
  std::set<std::string> kinds;
  for (const Edit& edit : fault.edits) kinds.insert(kind_of_edit(edit));
  if (kinds.contains("function")) kinds.erase("parameter");  // "function" is the more specific kind
  return fmt::format("{}", fmt::join(kinds, "+"));
}

int64_t LeaveOneOut::count(Described described) const {
  return std::count_if(rows.begin(), rows.end(), [&](const LeftOut& row) { return row.described == described; });
}

double LeaveOneOut::share() const {
  return rows.empty() ? 0.0 : static_cast<double>(count(Described::same)) / static_cast<double>(rows.size());
}

LeaveOneOut leave_one_out(const LeaveOneOutOptions& options) {
  MatrixOptions matrix_options;
  matrix_options.goldens = options.goldens;
  matrix_options.select = options.select;
  matrix_options.threads = options.threads;
  const Matrix matrix = run_matrix(matrix_options);
  LeaveOneOut result;
  for (const FaultRow& row : matrix.rows) {
    if (row.equivalent() || !row.killed()) continue;
    LeftOut left;
    left.fault = row.fault;
    left.kind = edit_kind_of(*row.fault);
    left.fixture = row.best()->fixture;
    result.rows.push_back(std::move(left));
  }
  std::mutex mutex;
  size_t done = 0;
  cases::in_parallel(options.threads, static_cast<int64_t>(result.rows.size()), [&](int64_t i) {
    explain_left_out(options, result.rows[static_cast<size_t>(i)]);
    const std::scoped_lock lock(mutex);
    if (options.progress) options.progress(++done, result.rows.size());
  });
  return result;
}

}  // namespace parity::faults
