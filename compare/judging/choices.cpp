// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/choices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/judging/tolerance.hpp"
#include "compare/values/slices.hpp"

namespace parity::compare {
namespace {

int64_t integer(const ParamMap& params, const std::string& name) { return std::get<int64_t>(params.at(name)); }

/// Returns the error that inherited drift adds to every score: the whole tap's, as one row's may be small by chance.
double inherited_delta(const replay::TapValue& scores, bool inherited) {
  double drift = 0.0;
  for (int64_t i = 0; inherited && i < scores.exact.view().count(); ++i) {
    const double error = std::abs(scores.rounded.f64()[i] - scores.exact.f64()[i]);
    if (std::isfinite(error)) drift = std::max(drift, error);
  }
  return kDriftFactor * drift;
}

/// Returns the scores and deltas of the `width` elements from `first` on.
Choice choice_at(const replay::TapValue& scores, int64_t first, int64_t width, double drift) {
  Choice choice;
  for (int64_t i = first; i < first + width; ++i) {
    const double score = scores.exact.f64()[i];
    const double bound = scores.noise.empty() ? 0.0 : scores.noise.f64()[i] + scores.rounding.f64()[i];
    choice.score.push_back(score);
    choice.delta.push_back(std::isfinite(score) ? bound + drift : 0.0);
  }
  return choice;
}

void expert_rows(const replay::Outcome& outcome, const AxisSizes& sizes, bool inherited, const ChoiceBody& body) {
  const auto choice = outcome.outputs.find("choice");  // absent without a bias: the scores themselves decide
  const replay::TapValue& scores = choice == outcome.outputs.end() ? outcome.outputs.at("scores") : choice->second;
  const int64_t experts = scores.exact.shape().back();
  const int64_t tokens = sizes.at('S');
  const double drift = inherited_delta(scores, inherited);
  for (int64_t n = 0; n < scores.exact.shape().front(); ++n) {
    ChoiceRow row{n / tokens, n % tokens, choice_at(scores, n * experts, experts, drift)};
    row.choice.k = integer(outcome.node->params, "top_k");
    // An expert at -inf gets the lowest finite score: k experts are always chosen. A block at -inf is never chosen.
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::replace(row.choice.score.begin(), row.choice.score.end(), -kInfinity, std::numeric_limits<double>::lowest());
    body(row);
  }
}

/// Calls `body` for every list of block ids. A local block has the score +inf and no error.
void block_rows(const replay::Outcome& outcome, const AxisSizes& sizes, bool inherited, const ChoiceBody& body) {
  const replay::TapValue& scores = *outcome.inputs.at("block_scores");
  const int64_t* positions = outcome.inputs.at("positions")->exact.i64();
  const int64_t blocks = scores.exact.shape().back();
  const int64_t tokens = sizes.at('S');
  const int64_t lists = scores.exact.view().count() / (blocks * tokens * sizes.at('B'));  // lists for each query
  const double drift = inherited_delta(scores, inherited);
  for (int64_t r = 0; r < scores.exact.view().count() / blocks; ++r) {
    ChoiceRow row{r / (tokens * lists), r % tokens, choice_at(scores, r * blocks, blocks, drift)};
    row.choice.k = integer(outcome.node->params, "top_k");
    const int64_t own = positions[row.sequence * tokens + row.token] / integer(outcome.node->params, "block_size");
    for (int64_t l = 0; l < integer(outcome.node->params, "local_blocks"); ++l) {
      const auto n = static_cast<size_t>(std::max<int64_t>(own - l, 0));
      row.choice.score[n] = std::numeric_limits<double>::infinity();
      row.choice.delta[n] = 0.0;
    }
    const auto first = outcome.node->params.find("init_blocks");
    const int64_t initial = first == outcome.node->params.end() ? 0 : std::get<int64_t>(first->second);
    for (int64_t n = 0; n < std::min(initial, own + 1); ++n) {
      row.choice.score[static_cast<size_t>(n)] = std::numeric_limits<double>::infinity();
      row.choice.delta[static_cast<size_t>(n)] = 0.0;
    }
    body(row);
  }
}

/// Whether the ids are those that the node itself chooses. If `any_order`, ids in another order count as equal.
bool own_choice(const int64_t* own, std::vector<int64_t> ids, bool any_order) {
  std::vector<int64_t> ours(own, own + ids.size());
  if (any_order) std::sort(ids.begin(), ids.end());
  if (any_order) std::sort(ours.begin(), ours.end());
  return ours == ids;
}

Judge kind_of(const replay::Outcome& outcome, const std::string& field) {
  return outcome.definition->outputs[static_cast<size_t>(outcome.definition->output_index(field))].judge;
}

}  // namespace

void for_each_choice(const replay::Outcome& outcome, const std::string& field, const AxisSizes& sizes, bool inherited,
                     const ChoiceBody& body) {
  kind_of(outcome, field) == Judge::expert_set ? expert_rows(outcome, sizes, inherited, body)
                                               : block_rows(outcome, sizes, inherited, body);
}

namespace {

/// Judges every row of ids. `any_order` accepts block ids in any order; ids of experts never have an order.
void judge_rows(const replay::Outcome& outcome, const std::string& field, const AxisSizes& sizes, bool inherited,
                const Tensor& ids, Record& record, const std::vector<bool>& uncomputed, bool any_order) {
  Discrete discrete;
  FailureMap failures(record.axes, record.shape);
  const int64_t width = ids.shape().back();
  const bool set = kind_of(outcome, field) == Judge::expert_set;
  const int64_t* next = ids.i64();
  const auto kept = outcome.own.find(field);
  const bool known = kept != outcome.own.end() && kept->second.shape() == ids.shape();
  for_each_choice(outcome, field, sizes, inherited, [&](const ChoiceRow& row) {
    const std::vector<int64_t> list(next, next + width);
    if (!uncomputed.empty() && uncomputed[static_cast<size_t>(next - ids.i64())]) {
      for (int64_t t = 0; t < width; ++t) failures.add(0.0);
      record.uncomputed += width;
      next += width;
      return;
    }
    const RowVerdict verdict = set         ? judge_set(row.choice, list)
                               : any_order ? judge_list_of_any_order(row.choice, list)
                                           : judge_list(row.choice, list);
    tally(row.choice, verdict, discrete);
    if (verdict.flipped && discrete.flipped.size() < kListedFlips) {
      discrete.flipped.push_back(flip_of(row.choice, list));
      discrete.flipped.back().sequence = row.sequence;
      discrete.flipped.back().token = row.token;
    }
    const int64_t* ours = known ? kept->second.i64() + (next - ids.i64()) : nullptr;
    discrete.unequal += ours != nullptr && own_choice(ours, list, set || any_order || !verdict.violated) ? 0 : 1;
    for (int64_t t = 0; t < width; ++t) failures.add(verdict.violated ? std::numeric_limits<double>::infinity() : 0.0);
    if (verdict.violated && record.reason.empty()) {
      record.worst.index = index_of(next - ids.i64(), record.shape);
      record.reason = fmt::format("sequence {}, token {}: {}; the judged ids are [{}]", row.sequence, row.token,
                                  verdict.reason, fmt::join(list, " "));
    }
    next += width;
  });
  record.elements = ids.view().count() - record.uncomputed;
  record.failed = failures.failed();
  record.slices = failures.slices();
  const auto flips = static_cast<double>(discrete.flips);
  record.budget_used = discrete.violations > 0 ? failures.worst_budget()
                       : flips == 0.0          ? 0.0
                                               : flips / most_flips(discrete);
  if (discrete.violations > 0) {
    record.status = Status::fail;
    record.where = failures.description();
  } else if (static_cast<double>(discrete.flips) > most_flips(discrete)) {
    record.status = Status::fail;
    record.reason =
        fmt::format("{} rows have other ids where scores nearly tie, but at most {:.1f} such rows are expected",
                    discrete.flips, most_flips(discrete));
  }
  record.discrete = discrete;
}

}  // namespace

std::string order_text(const Tensor& ids) {
  const int64_t width = ids.shape().back();
  bool ascending = true, descending = true;
  for (int64_t i = 0; i < ids.view().count(); ++i) {
    const int64_t id = ids.i64()[i];
    if (i % width == 0 || id == -1) continue;
    ascending = ascending && ids.i64()[i - 1] < id;
    descending = descending && ids.i64()[i - 1] > id;
  }
  return fmt::format("the same set of ids, in {} order", ascending    ? "ascending"
                                                         : descending ? "descending"
                                                                      : "another");
}

void judge_choices(const replay::Outcome& outcome, const std::string& field, const AxisSizes& sizes, bool inherited,
                   const Tensor& ids, Record& record, const ChoiceRules& rules) {
  const Record blank = record;
  judge_rows(outcome, field, sizes, inherited, ids, record, rules.uncomputed, rules.order == BlockOrder::set);
  if (rules.order != BlockOrder::either || record.status != Status::fail) return;
  Record as_set = blank;
  judge_rows(outcome, field, sizes, inherited, ids, as_set, rules.uncomputed, true);
  if (as_set.status != Status::pass) return;
  as_set.deviation = Deviation{"order", order_text(ids), 1.0};
  record = std::move(as_set);
}

void require_own_choices(Record& record) {
  if (!record.discrete || record.discrete->unequal == 0 || record.status != Status::pass) return;
  record.status = Status::fail;
  record.reason = fmt::format("{} of {} rows have other ids than the only correct choice", record.discrete->unequal,
                              record.discrete->rows);
}

void accept_own_choices(Record& record) {
  if (!record.discrete || 100 * record.discrete->unequal > record.discrete->rows) return;
  record.status = Status::pass;
  record.reason.clear();
  record.where.clear();
  record.failed = 0;
  record.budget_used = 0.0;
}

}  // namespace parity::compare
