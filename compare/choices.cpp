// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/choices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/slices.hpp"
#include "compare/tolerance.hpp"

namespace parity::compare {
namespace {

int64_t integer(const ParamMap& params, const std::string& name) { return std::get<int64_t>(params.at(name)); }

/// Scores and deltas of one row of `width` elements that starts at `first`.
Choice choice_at(const replay::TapValue& scores, int64_t first, int64_t width, bool inherited) {
  Choice choice;
  double drift = 0.0;
  for (int64_t i = first; i < first + width; ++i) {
    const double error = std::abs(scores.rounded.f64()[i] - scores.exact.f64()[i]);
    if (inherited && std::isfinite(error)) drift = std::max(drift, kDriftFactor * error);
  }
  for (int64_t i = first; i < first + width; ++i) {
    const double score = scores.exact.f64()[i];
    const double bound = scores.noise.empty() ? 0.0 : scores.noise.f64()[i] + scores.rounding.f64()[i];
    choice.score.push_back(score);
    choice.delta.push_back(std::isfinite(score) ? bound + drift : 0.0);
  }
  return choice;
}

std::vector<ChoiceRow> expert_rows(const replay::Outcome& outcome, const AxisSizes& sizes, bool inherited) {
  const replay::TapValue& scores = outcome.outputs.at("choice");
  const int64_t experts = scores.exact.shape().back();
  const int64_t tokens = sizes.at('S');
  std::vector<ChoiceRow> rows;
  for (int64_t n = 0; n < scores.exact.shape().front(); ++n) {
    ChoiceRow row{n / tokens, n % tokens, choice_at(scores, n * experts, experts, inherited)};
    row.choice.k = integer(outcome.node->params, "top_k");
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Local blocks count as +inf, known exactly.
std::vector<ChoiceRow> block_rows(const replay::Outcome& outcome, const AxisSizes& sizes, bool inherited) {
  const replay::TapValue& scores = *outcome.inputs.at("block_scores");
  const int64_t* positions = outcome.inputs.at("positions")->exact.i64();
  const int64_t blocks = scores.exact.shape().back();
  const int64_t tokens = sizes.at('S');
  const int64_t lists = scores.exact.view().count() / (blocks * tokens * sizes.at('B'));  // per query
  std::vector<ChoiceRow> rows;
  for (int64_t r = 0; r < scores.exact.view().count() / blocks; ++r) {
    ChoiceRow row{r / (tokens * lists), r % tokens, choice_at(scores, r * blocks, blocks, inherited)};
    row.choice.k = integer(outcome.node->params, "top_k");
    const int64_t own = positions[row.sequence * tokens + row.token] / integer(outcome.node->params, "block_size");
    for (int64_t l = 0; l < integer(outcome.node->params, "local_blocks"); ++l) {
      const auto n = static_cast<size_t>(std::max<int64_t>(own - l, 0));
      row.choice.score[n] = std::numeric_limits<double>::infinity();
      row.choice.delta[n] = 0.0;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<ChoiceRow> choices_of(const replay::Outcome& outcome, const std::string& field, const AxisSizes& sizes, bool inherited) {
  const auto index = static_cast<size_t>(outcome.definition->output_index(field));
  const Judge kind = outcome.definition->outputs[index].judge;
  return kind == Judge::expert_set ? expert_rows(outcome, sizes, inherited) : block_rows(outcome, sizes, inherited);
}

void judge_choices(const std::vector<ChoiceRow>& rows, Judge kind, const int64_t* ids, int64_t width, Record& record) {
  Discrete discrete;
  std::vector<double> broken(rows.size() * static_cast<size_t>(width), 0.0);  // per id, for the description
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::vector<int64_t> list(ids + r * static_cast<size_t>(width), ids + (r + 1) * static_cast<size_t>(width));
    const RowVerdict verdict = kind == Judge::expert_set ? judge_set(rows[r].choice, list) : judge_list(rows[r].choice, list);
    tally(rows[r].choice, verdict, discrete);
    if (!verdict.violated) continue;
    std::fill_n(broken.begin() + static_cast<int64_t>(r) * width, width, 2.0);
    if (record.reason.empty()) {
      record.worst.index = index_of(static_cast<int64_t>(r) * width, record.shape);
      record.reason = fmt::format("sequence {}, token {}: {}; recorded [{}]", rows[r].sequence, rows[r].token, verdict.reason,
                                  fmt::join(list, " "));
    }
  }
  record.elements = static_cast<int64_t>(broken.size());
  record.failed = discrete.violations * width;
  record.budget_used = most_flips(discrete) == 0.0 ? 0.0 : static_cast<double>(discrete.flips) / most_flips(discrete);
  if (discrete.violations > 0) {
    record.status = Status::fail;
    record.budget_used = std::numeric_limits<double>::infinity();
    record.where = describe_failures(broken, record.axes, record.shape);
  } else if (static_cast<double>(discrete.flips) > most_flips(discrete)) {
    record.status = Status::fail;
    record.reason = fmt::format("{} rows differ within the score error, at most {:.1f} are to be expected", discrete.flips, most_flips(discrete));
  }
  record.discrete = discrete;
}

}  // namespace parity::compare
