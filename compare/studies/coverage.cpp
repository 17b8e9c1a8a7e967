// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/studies/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/score_order.hpp"
#include "reference/reference.hpp"

namespace parity::compare {
namespace {

/// How often an event was seen, and in how many opportunities.
struct Exercised {
  int64_t seen = 0;
  int64_t chances = 0;
};

/// Returns the recorded value of the node's operand or output `field`, or nullopt if it is not recorded.
std::optional<Tensor> recorded(const replay::TapSource& recording, const Node& node, const std::string& field) {
  const auto input = node.inputs.find(field);
  const auto output = node.outputs.find(field);
  std::string tap;
  if (output != node.outputs.end()) tap = output->second.name;
  if (input != node.inputs.end() && input->second.size() == 1) tap = input->second.front().name;
  if (tap.empty() || !recording.available(tap)) return std::nullopt;
  return widen(recording.read(tap).view());
}

void more_than(const Tensor& values, int64_t limit, Exercised& exercised) {
  const int64_t width = values.shape().back();
  for (int64_t first = 0; first < values.view().count(); first += width) {
    const auto finite =
        std::count_if(values.f64() + first, values.f64() + first + width, [](double x) { return !std::isinf(x); });
    ++exercised.chances;
    if (finite > limit) ++exercised.seen;
  }
}

void beyond(const Tensor& values, double limit, Exercised& exercised) {
  const int64_t width = values.shape().back();  // gate | up; a gate has no lower limit
  exercised.chances += values.view().count();
  for (int64_t i = 0; i < values.view().count(); ++i) {
    const double x = values.f64()[i];
    if (x > limit || (x < -limit && i % width >= width / 2)) ++exercised.seen;
  }
}

void other_choice(const Tensor& one, const Tensor& other, int64_t count, Exercised& exercised) {
  const int64_t width = one.shape().back();
  const auto chosen = [&](const double* row) {
    const std::vector<double> values(row, row + width);
    std::vector<int64_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), ScoreOrder{values});
    return std::set<int64_t>(order.begin(), order.begin() + std::min(count, width));
  };
  for (int64_t first = 0; first < one.view().count(); first += width) {
    ++exercised.chances;
    if (chosen(one.f64() + first) != chosen(other.f64() + first)) ++exercised.seen;
  }
}

void count(const Exercise& exercise, const replay::TapSource& recording, const Node& node, Exercised& exercised) {
  const auto values = recorded(recording, node, exercise.field);
  if (!values) return;
  const ParamValue& param = node.params.at(exercise.param);
  if (exercise.shows == Shows::more_than) more_than(*values, std::get<int64_t>(param), exercised);
  if (exercise.shows == Shows::beyond) beyond(*values, std::get<double>(param), exercised);
  if (exercise.shows != Shows::other_choice) return;
  const auto other = recorded(recording, node, exercise.than);
  if (other) other_choice(*values, *other, std::get<int64_t>(param), exercised);
}

/// Returns the events that a recording of `component` must show. A component that an edited plan invented needs none.
Exercise exercise_of(const std::string& component) {
  static const std::vector<std::string> known = reference::registry().components();  // sorted
  const bool found = std::binary_search(known.begin(), known.end(), component);
  return found ? reference::registry().component(component).traits.exercise : Exercise{};
}

}  // namespace

void judge_coverage(const Plan& plan, const replay::TapSource& recording, GoldenReport& report) {
  std::map<std::string, Exercised> all;
  for (const Node& node : plan.nodes) {
    const Exercise exercise = exercise_of(node.component);
    if (exercise.shows != Shows::anything) count(exercise, recording, node, all[node.component]);
  }
  for (const auto& [component, exercised] : all) {
    if (exercised.chances == 0 || exercised.seen > 0) continue;
    const Exercise exercise = exercise_of(component);
    report.notes.push_back(fmt::format("the golden does not exercise component {}: {}", component, exercise.missing));
    if (exercise.note_only) continue;
    for (Record& record : report.records) {
      if (record.component != component || record.status != Status::pass) continue;
      record.status = Status::mistrusted;
      record.reason = fmt::format("the inputs of the golden do not exercise the component: {}", exercise.missing);
    }
  }
}

}  // namespace parity::compare
