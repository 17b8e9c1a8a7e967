// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/shard_edits.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/sharding/layout.hpp"
#include "core/text.hpp"

namespace parity::faults {
namespace {

/// The first axis of which the box has only a part; the number of axes if it has all.
size_t divided_axis(const Box& box) {
  size_t axis = 0;
  while (axis < box.extents.size() && count_of(box.ranges[axis]) == box.extents[axis]) ++axis;
  return axis;
}

/// Moves the part by `by` indices, round the end.
void move(Box& box, size_t axis, int64_t by) {
  Range& part = box.ranges[axis].front();
  const int64_t places = box.extents[axis] - part.count + 1;
  part.first = (part.first + by) % places;
}

/// Every n-th index: the axis as (chunk, share), of which one share is taken.
void stride(Box& box, size_t axis) {
  const Range part = box.ranges[axis].front();
  const auto at = static_cast<int64_t>(axis) + 1;
  box.extents.insert(box.extents.begin() + at, box.extents[axis] / part.count);
  box.ranges.insert(box.ranges.begin() + at, Ranges{{part.first / part.count, 1}});
  box.extents[axis] = part.count;
  box.ranges[axis] = {{0, part.count}};
}

/// A chunk of both halves together, in place of a chunk of each: "2F" as one axis.
void flatten(Box& box, size_t axis) {
  PARITY_CHECK(axis > 0, usage, "the weights are not stored as two halves, which edit 'flat' needs");
  const Range part = box.ranges[axis].front();
  const int64_t halves = box.extents[axis - 1];
  box.extents[axis - 1] *= box.extents[axis];
  box.ranges[axis - 1] = {{halves * part.first, halves * part.count}};
  box.extents.erase(box.extents.begin() + static_cast<int64_t>(axis));
  box.ranges.erase(box.ranges.begin() + static_cast<int64_t>(axis));
}

/// Columns in place of rows, or rows in place of columns, of as many elements.
void turn(Box& box, size_t axis) {
  const Range part = box.ranges[axis].front();
  const int64_t shares = box.extents[axis] / part.count;
  const size_t other = axis + 1 < box.extents.size() ? box.extents.size() - 1 : 0;
  PARITY_CHECK(other != axis && box.extents[other] % shares == 0, usage,
               "the weights have no other axis that can be divided, which edit 'across' needs");
  const int64_t count = box.extents[other] / shares;
  box.ranges[axis] = {{0, box.extents[axis]}};
  box.ranges[other] = {{part.first / part.count * count, count}};
}

void divide_otherwise(const std::string& how, WeightInfo& info) {
  PARITY_CHECK(info.part.has_value(), usage, "{} is not divided among ranks, so it cannot be divided otherwise",
               info.published.front());
  Box& box = *info.part;
  const size_t axis = divided_axis(box);
  PARITY_CHECK(axis < box.extents.size(), usage, "{} is not divided among ranks, so it cannot be divided otherwise",
               info.published.front());
  const int64_t count = count_of(box.ranges[axis]);
  PARITY_CHECK(box.ranges[axis].size() == 1 && count > 0 && box.extents[axis] % count == 0, usage,
               "{} is not divided evenly among ranks, or this rank has no part of it", info.published.front());
  if (how == "next") return move(box, axis, count);
  if (how == "one") return move(box, axis, 1);
  if (how == "strided") return stride(box, axis);
  if (how == "flat") return flatten(box, axis);
  PARITY_CHECK(how == "across", usage, "'{}' is not a way to divide weights; use next, one, strided, flat or across",
               how);
  turn(box, axis);
}

/// The name with the number after `label` replaced by the next one, or the one before if there is no next.
std::string neighbour(const std::string& name, const std::string& label, int64_t by) {
  const size_t at = name.find(label);
  PARITY_CHECK(at != std::string::npos, usage, "{} has no '{}'", name, label);
  const size_t first = at + label.size();
  size_t last = first;
  while (last < name.size() && std::isdigit(static_cast<unsigned char>(name[last])) != 0) ++last;
  const int64_t number = std::atoll(name.substr(first, last - first).c_str());
  return name.substr(0, first) + std::to_string(number + by) + name.substr(last);
}

/// Whether a weight of the plan has this published name and shape.
bool published(const Plan& plan, const std::string& name, const WeightInfo& like) {
  return std::any_of(plan.weights.begin(), plan.weights.end(), [&](const auto& weight) {
    const auto& names = weight.second.published;
    const Shape& shape = weight.second.part ? weight.second.whole : weight.second.shape;
    return std::find(names.begin(), names.end(), name) != names.end() && shape == (like.part ? like.whole : like.shape);
  });
}

void load_otherwise(const std::string& label, const Plan& plan, WeightInfo& info) {
  for (const int64_t by : {1, -1}) {
    std::vector<std::string> names;
    for (const std::string& name : info.published) names.push_back(neighbour(name, label, by));
    const bool all =
        std::all_of(names.begin(), names.end(), [&](const std::string& name) { return published(plan, name, info); });
    if (!all) continue;
    info.published = names;
    return;
  }
  throw Error(ErrorCode::usage, fmt::format("the model has no tensor like {} with another number after '{}'",
                                            info.published.front(), label));
}

/// The first expert, `by` later: round the end of all experts of the model.
void choose_others(const std::string& text, const Plan& plan, WeightInfo& info) {
  int64_t all = 0;
  for (const auto& [name, other] : plan.weights) {
    if (other.published == info.published) all = std::max(all, other.first_member + other.members);
  }
  const int64_t by = text == "count" ? info.members : std::atoll(text.c_str());
  const int64_t places = all - info.members + 1;
  PARITY_CHECK(info.members > 0 && places > 1, usage, "{} is not a list of experts that is divided among ranks",
               info.published.front());
  info.first_member = (info.first_member + by) % places;
}

}  // namespace

void make_shard_edit(const RankEdit& edit, Node& node, Plan& plan) {
  bool any = false;
  for (auto& [field, list] : node.inputs) {
    for (Operand& operand : list) {
      if (operand.kind == Operand::Kind::tap) continue;
      const WeightInfo& info = plan.weights.at(operand.name);
      if (!glob_match(edit.what, info.published.front())) continue;
      any = true;
      const std::string own = fmt::format("{}{}~{}", rank_prefix(node.rank), operand.name, edit.value);
      if (!plan.weights.contains(own)) {  // other calls read it as well
        WeightInfo other = info;
        if (edit.kind == RankEdit::Kind::shard) divide_otherwise(edit.value, other);
        if (edit.kind == RankEdit::Kind::load) load_otherwise(edit.value, plan, other);
        if (edit.kind == RankEdit::Kind::experts) choose_others(edit.value, plan, other);
        plan.weights[own] = other;
      }
      operand.name = own;
    }
  }
  PARITY_CHECK(any, usage, "reads no tensor '{}'", edit.what);
}

}  // namespace parity::faults
