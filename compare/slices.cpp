// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/slices.hpp"

#include <algorithm>
#include <map>

namespace parity::compare {
namespace {

/// Worst position of one grouping of the elements.
Slice worst_of(const std::string& word, int64_t positions, const std::vector<double>& budgets,
               const std::vector<int64_t>& position_of) {
  std::vector<double> budget(static_cast<size_t>(positions), 0.0);
  std::vector<int64_t> failed(static_cast<size_t>(positions), 0);
  for (size_t i = 0; i < budgets.size(); ++i) {
    const auto p = static_cast<size_t>(position_of[i]);
    budget[p] = std::max(budget[p], budgets[i]);
    if (budgets[i] > 1.0) ++failed[p];
  }
  const auto better = [&](size_t a, size_t b) { return std::pair(failed[a], budget[a]) < std::pair(failed[b], budget[b]); };
  size_t worst = 0;
  for (size_t p = 1; p < budget.size(); ++p) {
    if (better(worst, p)) worst = p;
  }
  return {word, static_cast<int64_t>(worst), positions, failed[worst], budget[worst]};
}

int64_t stride_of(const Shape& shape, size_t axis) {
  int64_t stride = 1;
  for (size_t later = axis + 1; later < shape.size(); ++later) stride *= shape[later];
  return stride;
}

}  // namespace

std::vector<int64_t> index_of(int64_t flat, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

std::string axis_word(const std::string& token) {
  static const std::map<std::string, std::string> kWords{
      {"B", "sequence"}, {"S", "token"}, {"N", "token"}, {"K", "slot"},    {"A", "head"},   {"G", "kv head"}, {"X", "index head"},
      {"J", "block"},    {"E", "expert"}, {"T", "top-k slot"}, {"H", "channel"}, {"F", "channel"}, {"D", "channel"}, {"I", "channel"},
      {"R", "channel"},  {"V", "token id"}};
  const auto found = kWords.find(token);
  return found == kWords.end() ? token : found->second;
}

std::vector<Slice> worst_slices(const std::vector<double>& budgets, const std::string& axes, const Shape& shape) {
  std::vector<Slice> slices;
  const auto tokens = split_axes(axes);
  std::vector<int64_t> position(budgets.size());
  if (shape.size() > 1) {
    const int64_t width = std::max<int64_t>(shape.back(), 1);
    for (size_t i = 0; i < budgets.size(); ++i) position[i] = static_cast<int64_t>(i) / width;
    slices.push_back(worst_of("row", static_cast<int64_t>(budgets.size()) / width, budgets, position));
  }
  for (size_t axis = 0; axis < shape.size() && axis < tokens.size(); ++axis) {
    if (shape[axis] <= 1) continue;
    const int64_t stride = stride_of(shape, axis);
    for (size_t i = 0; i < budgets.size(); ++i) position[i] = static_cast<int64_t>(i) / stride % shape[axis];
    slices.push_back(worst_of(axis_word(tokens[axis]), shape[axis], budgets, position));
  }
  return slices;
}

std::string describe_failures(const std::vector<double>& budgets, const std::string& axes, const Shape& shape) {
  const auto tokens = split_axes(axes);
  std::vector<int64_t> least(shape.size(), INT64_MAX);
  std::vector<int64_t> most(shape.size(), -1);
  int64_t failed = 0;
  for (size_t i = 0; i < budgets.size(); ++i) {
    if (budgets[i] <= 1.0) continue;
    ++failed;
    const auto index = index_of(static_cast<int64_t>(i), shape);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      least[axis] = std::min(least[axis], index[axis]);
      most[axis] = std::max(most[axis], index[axis]);
    }
  }
  std::vector<std::string> parts;
  for (size_t axis = 0; axis < shape.size() && axis < tokens.size(); ++axis) {
    const bool everywhere = least[axis] == 0 && most[axis] + 1 == shape[axis];
    if (everywhere || failed == 0) continue;
    const std::string word = axis_word(tokens[axis]);
    parts.push_back(least[axis] == most[axis] ? fmt::format("{} {}", word, least[axis])
                                              : fmt::format("{}s {}..{}", word, least[axis], most[axis]));
  }
  const std::string all = failed == 1 ? "the one" : fmt::format("all {}", failed);
  return parts.empty() ? fmt::format("{} of {} elements, spread over the whole tap", failed, budgets.size())
                       : fmt::format("{} in {}", all, fmt::join(parts, ", "));
}

}  // namespace parity::compare
