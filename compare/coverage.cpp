// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/score_order.hpp"

namespace parity::compare {
namespace {

/// How often something happened, over how many opportunities.
struct Exercise {
  int64_t seen = 0;
  int64_t chances = 0;
};

Tensor read(const replay::TapSource& recording, const Node& node, const std::string& field) {
  return widen(recording.read(node.inputs.at(field).front().name).view());
}

bool readable(const replay::TapSource& recording, const Node& node, const std::string& field) {
  const auto found = node.inputs.find(field);
  return found != node.inputs.end() && found->second.size() == 1 && recording.available(found->second.front().name);
}

/// Queries that see more blocks than they may keep.
void dropped_blocks(const replay::TapSource& recording, const Node& node, Exercise& exercise) {
  if (!readable(recording, node, "block_scores")) return;
  const Tensor scores = read(recording, node, "block_scores");
  const int64_t blocks = scores.shape().back();
  const auto top_k = std::get<int64_t>(node.params.at("top_k"));
  for (int64_t first = 0; first < scores.view().count(); first += blocks) {
    const auto visible =
        std::count_if(scores.f64() + first, scores.f64() + first + blocks, [](double s) { return !std::isinf(s); });
    ++exercise.chances;
    if (visible > top_k) ++exercise.seen;
  }
}

/// Gates above the limit (they have no lower one) or up values beyond it.
void clamped(const replay::TapSource& recording, const Node& node, Exercise& exercise) {
  if (!readable(recording, node, "gate_up")) return;
  const Tensor gate_up = read(recording, node, "gate_up");
  const double limit = std::get<double>(node.params.at("limit"));
  const int64_t width = gate_up.shape().back();  // gate | up
  exercise.chances += gate_up.view().count();
  for (int64_t i = 0; i < gate_up.view().count(); ++i) {
    const double x = gate_up.f64()[i];
    if (x > limit || (x < -limit && i % width >= width / 2)) ++exercise.seen;
  }
}

/// Rows whose experts would be others without the correction bias.
void biased_choices(const replay::TapSource& recording, const Node& node, Exercise& exercise) {
  const std::string scores_tap = node.outputs.at("scores").name;
  const std::string choice_tap = node.outputs.at("choice").name;
  if (!recording.has(scores_tap) || !recording.has(choice_tap)) return;
  const Tensor scores = widen(recording.read(scores_tap));
  const Tensor choice = widen(recording.read(choice_tap));
  const int64_t experts = scores.shape().back();
  const auto top_k = std::get<int64_t>(node.params.at("top_k"));
  const auto chosen = [&](const double* row) {
    const std::vector<double> values(row, row + experts);
    std::vector<int64_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), ScoreOrder{values});
    return std::set<int64_t>(order.begin(), order.begin() + std::min(top_k, experts));
  };
  for (int64_t first = 0; first < scores.view().count(); first += experts) {
    ++exercise.chances;
    if (chosen(scores.f64() + first) != chosen(choice.f64() + first)) ++exercise.seen;
  }
}

}  // namespace

void judge_coverage(const Plan& plan, const replay::TapSource& recording, GoldenReport& report) {
  std::map<std::string, Exercise> exercises;
  for (const Node& node : plan.nodes) {
    if (node.component == "index_select") dropped_blocks(recording, node, exercises["index_select"]);
    if (node.component == "router") biased_choices(recording, node, exercises["router"]);
    if (node.component == "swiglu") clamped(recording, node, exercises["swiglu"]);
  }
  const std::map<std::string, const char*> what{{"index_select", "no block is ever dropped"},
                                                {"router", "its bias never changes a choice"},
                                                {"swiglu", "no clamp is ever reached"}};
  for (const auto& [component, exercise] : exercises) {
    if (exercise.chances == 0 || exercise.seen > 0) continue;
    report.notes.push_back(fmt::format("{} is not exercised: {}", component, what.at(component)));
    if (component == "router") continue;  // that the bias is added shows in `choice`, which is judged: a note will do
    for (Record& record : report.records) {
      if (record.component != component || record.status != Status::pass) continue;
      record.status = Status::mistrusted;
      record.reason = fmt::format("the golden does not exercise it: {}", what.at(component));
    }
  }
}

}  // namespace parity::compare
