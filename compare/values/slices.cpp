// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/slices.hpp"

#include <algorithm>

namespace parity::compare {
std::vector<int64_t> index_of(int64_t flat, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

void FailureMap::Tally::add(int64_t position, double element_budget) {
  const auto p = static_cast<size_t>(position);
  budget[p] = std::max(budget[p], element_budget);
  if (element_budget > 1.0) ++failed[p];
}

Slice FailureMap::Tally::worst() const {
  size_t best = 0;
  for (size_t p = 1; p < budget.size(); ++p) {
    if (std::pair(failed[best], budget[best]) < std::pair(failed[p], budget[p])) best = p;
  }
  return {word, static_cast<int64_t>(best), static_cast<int64_t>(budget.size()), failed[best], budget[best]};
}

FailureMap::FailureMap(const std::string& axes, const Shape& shape, const AxisSizes& sizes)
    : tokens_(axes), shape_(shape), sizes_(sizes), index_(shape.size(), 0) {
  auto tokens = split_axes(axes);
  tokens.resize(shape.size());
  const auto tally = [](const std::string& word, int64_t positions) {
    const auto n = static_cast<size_t>(std::max<int64_t>(positions, 1));
    return Tally{word, std::vector<double>(n, 0.0), std::vector<int64_t>(n, 0)};
  };
  rows_ = tally("row", shape.empty() ? 1 : element_count(shape) / std::max<int64_t>(shape.back(), 1));
  for (size_t axis = 0; axis < shape.size(); ++axis) axes_.push_back(tally(axis_word(tokens[axis]), shape[axis]));
}

void FailureMap::add(double budget) {
  if (budget > worst_budget_) {
    worst_budget_ = budget;
    worst_ = next_;
  }
  rows_.add(shape_.empty() ? 0 : next_ / shape_.back(), budget);
  for (size_t axis = 0; axis < shape_.size(); ++axis) axes_[axis].add(index_[axis], budget);
  if (budget > 1.0) {
    ++failed_;
    over_.resize(static_cast<size_t>(next_) + 1, false);
    over_.back() = true;
  }
  ++next_;
  for (size_t axis = shape_.size(); axis-- > 0;) {
    if (++index_[axis] < shape_[axis]) break;
    index_[axis] = 0;
  }
}

std::vector<Slice> FailureMap::slices() const {
  std::vector<Slice> result;
  if (shape_.size() > 1) result.push_back(rows_.worst());
  for (size_t axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis] > 1) result.push_back(axes_[axis].worst());
  }
  return result;
}

Region FailureMap::region() const {
  std::vector<bool> failed(over_);
  failed.resize(static_cast<size_t>(next_), false);
  return region_of(groupings_of(tokens_, shape_, sizes_), failed);
}

}  // namespace parity::compare
