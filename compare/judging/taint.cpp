// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/taint.hpp"

#include <algorithm>

#include "compare/values/slices.hpp"

namespace parity::compare {
namespace {

/// Stride and extent of an axis in the row-major index of an element. An absent axis has only position 0.
struct AxisPlace {
  int64_t stride = 1;
  int64_t extent = 1;
  bool present = false;

  [[nodiscard]] int64_t at(int64_t element) const { return element / stride % extent; }
};

AxisPlace place_of(const std::string& letter, const std::vector<std::string>& axes, const Shape& shape) {
  AxisPlace place;
  for (size_t axis = axes.size(); axis-- > 0;) {
    if (axes[axis] == letter) return {place.stride, shape[axis], true};
    place.stride *= shape[axis];
  }
  return {};
}

std::optional<int64_t> index_at(const Ranges& ranges, int64_t position) {
  for (const Range& range : ranges) {
    if (position < range.count) return range.first + position;
    position -= range.count;
  }
  return std::nullopt;
}

}  // namespace

Taint::Taint(const Plan& plan, const Registry& registry) : plan_(plan) {
  for (const Node& node : plan.nodes) {
    if (node.component == "cache_edit" && node.inputs.contains("rows")) row_edits_.insert(node.step);
    const auto& fields = registry.component(node.component).inputs;
    mixing_.push_back(std::any_of(fields.begin(), fields.end(), [](const FieldInfo& f) {
      return f.axes.find('K') != std::string::npos || f.name == "past";
    }));
  }
}

void Taint::add(const replay::Outcome& outcome, const std::string& field) {
  const Node& node = *outcome.node;
  Event event{index_of_node(node), node.step, {}};
  const AxisSizes& whole = plan_.sizes.at(node.step);
  for_each_choice(outcome, field, plan_.sizes_of(node), true, [&](const ChoiceRow& row) {
    const auto verdicts = row.choice.verdicts();
    const bool open = std::find(verdicts.begin(), verdicts.end(), Choice::Verdict::may) != verdicts.end();
    if (!open) return;
    const auto token = whole_token(plan_.tap(node.outputs.at(field).name), row);
    if (token) {
      event.tokens.insert(*token);
      return;
    }
    for (int64_t b = 0; b < whole.at('B'); ++b) {
      for (int64_t s = 0; s < whole.at('S'); ++s) event.tokens.insert({b, s});
    }
  });
  if (!event.tokens.empty()) events_.push_back(std::move(event));
}

std::optional<std::pair<int64_t, int64_t>> Taint::whole_token(const TapInfo& tap, const ChoiceRow& row) const {
  if (!tap.part) return std::pair{row.sequence, row.token};
  const auto axes = split_axes(tap.part->axes);
  // A flat axis of tokens is two axes of the box. Others are one each while their names are single letters.
  const bool flat = !axes.empty() && axes[0] == "N";
  const auto s = std::find(axes.begin(), axes.end(), "S");
  const bool plain = s != axes.end() && axes[0] == "B" &&
                     std::all_of(axes.begin(), s, [](const std::string& axis) { return axis.size() == 1; });
  if (!flat && !plain) return std::nullopt;
  const auto sequence = index_at(tap.part->box.ranges.at(0), row.sequence);
  const auto token = index_at(tap.part->box.ranges.at(flat ? 1 : static_cast<size_t>(s - axes.begin())), row.token);
  if (!sequence || !token) return std::nullopt;
  return std::pair{*sequence, *token};
}

bool Taint::mixes_between(int from, int to, const std::vector<int>* span) const {
  for (int node = from + 1; node <= to; ++node) {
    const bool inside = span == nullptr || std::find(span->begin(), span->end(), node) != span->end();
    if (inside && mixing_[static_cast<size_t>(node)]) return true;
  }
  return false;
}

bool Taint::rows_change(int from_step, int to_step) const {
  const auto edit = row_edits_.upper_bound(from_step);
  return edit != row_edits_.end() && *edit <= to_step;
}

std::vector<bool> Taint::tokens(int step, int index, const std::vector<int>* span) const {
  const int64_t batch = plan_.sizes.at(step).at('B');
  const int64_t tokens = plan_.sizes.at(step).at('S');
  std::vector<bool> result(static_cast<size_t>(batch * tokens), false);
  std::vector<int64_t> first(static_cast<size_t>(batch), tokens);  // first token that may differ after attention
  for (const Event& event : events_) {
    if (event.step > step) continue;
    const bool mixed = mixes_between(event.node, index, span);
    if (mixed && rows_change(event.step, step)) {  // any sequence may continue one that may differ
      std::fill(first.begin(), first.end(), 0);
      continue;
    }
    for (const auto& [b, s] : event.tokens) {
      if (b >= batch) continue;  // the sequence was in a call with more sequences
      int64_t& earliest = first[static_cast<size_t>(b)];
      if (mixed) {
        earliest = std::min(earliest, event.step < step ? 0 : s);
      } else if (event.step == step) {
        result[static_cast<size_t>(b * tokens + s)] = true;
      }
    }
  }
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t s = first[static_cast<size_t>(b)]; s < tokens; ++s) result[static_cast<size_t>(b * tokens + s)] = true;
  }
  return result;
}

std::vector<bool> Taint::elements(const Node& node, const TapInfo& tap, const std::vector<int>* span) const {
  const bool tower = node.prefix.find("/vision/") != std::string::npos;
  if (events_.empty() || tower) return {};  // the vision tower runs before every choice
  // Own sizes mean that rows are of other processes or slots of other calls, so any of them may differ.
  if (!node.sizes.empty()) return std::vector<bool>(static_cast<size_t>(element_count(tap.shape)), true);
  const auto axes = split_axes(tap.axes);
  const int64_t tokens = plan_.sizes.at(node.step).at('S');
  const AxisPlace batch = place_of("B", axes, tap.shape);
  const AxisPlace token = place_of("S", axes, tap.shape);
  const AxisPlace flat = place_of("N", axes, tap.shape);
  std::vector<bool> result(static_cast<size_t>(element_count(tap.shape)), false);
  if (!flat.present && !token.present) {  // caches and scalars depend on any token of the sequence
    std::set<int64_t> sequences;
    bool everywhere = false;
    for (const Event& event : events_) {
      for (const auto& [b, s] : event.tokens) sequences.insert(b);
      everywhere = everywhere || rows_change(event.step, node.step);
    }
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = everywhere || !batch.present || sequences.contains(batch.at(static_cast<int64_t>(i)));
    return result;
  }
  const std::vector<bool> reached = this->tokens(node.step, index_of_node(node), span);
  for (size_t i = 0; i < result.size(); ++i) {
    const auto element = static_cast<int64_t>(i);
    result[i] =
        reached[static_cast<size_t>(flat.present ? flat.at(element) : batch.at(element) * tokens + token.at(element))];
  }
  return result;
}

int64_t Taint::reach(const Node& node, const std::vector<int>* span) const {
  std::set<int> steps;
  for (const Event& event : events_) steps.insert(event.step);
  int64_t reached = 0;
  for (const int step : steps) {
    const std::vector<bool> tokens = this->tokens(step, index_of_node(node), span);
    reached += std::count(tokens.begin(), tokens.end(), true);
  }
  return reached;
}

}  // namespace parity::compare
