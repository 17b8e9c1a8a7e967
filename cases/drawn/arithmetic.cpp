// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/drawn/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/random.hpp"

namespace parity::cases {

const char* to_string(Order order) {
  constexpr const char* kNames[kOrders] = {"forward", "backward", "lanes", "parts", "pairwise", "shuffled", "wide"};
  return kNames[static_cast<size_t>(order)];
}

std::vector<int64_t> Arithmetic::visits(int64_t count) const {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  if (style_.order == Order::backward) std::reverse(ids.begin(), ids.end());
  if (style_.order == Order::shuffled) {
    const Random random(style_.seed, "order");
    for (size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[random.below(i, i)]);
  }
  return ids;
}

/// Returns the groups of terms that share an accumulator.
const Arithmetic::Groups& Arithmetic::groups_of(int64_t count) const {
  const auto known = groups_.find(count);
  if (known != groups_.end()) return known->second;
  Groups groups;
  const auto ids = visits(count);
  const bool lanes = style_.order == Order::lanes;
  const bool parts = style_.order == Order::parts;
  const auto width = lanes || parts ? std::min(style_.width, std::max<int64_t>(count, 1)) : 1;
  groups.resize(static_cast<size_t>(width));
  const int64_t length = (count + width - 1) / width;
  for (int64_t i = 0; i < count; ++i) groups[static_cast<size_t>(lanes ? i % width : i / length)].push_back(ids[i]);
  return groups_.emplace(count, std::move(groups)).first->second;
}

float Arithmetic::kept(float accumulator) const {
  return style_.accumulator == DType::f32 ? accumulator : static_cast<float>(round_to(style_.accumulator, accumulator));
}

float Arithmetic::tree(const std::vector<float>& values, size_t first, size_t last) const {
  if (last - first == 1) return values[first];
  const size_t middle = first + (last - first) / 2;
  return kept(tree(values, first, middle) + tree(values, middle, last));
}

/// Calls `add(accumulator, i)` for every term, then sums the accumulators: in a tree for lanes, else one by one.
template <class Add>
float Arithmetic::reduce(int64_t count, const Add& add) const {
  if (count == 0) return 0.0F;
  std::vector<float> sums;
  for (const auto& group : groups_of(count)) {
    float accumulator = 0.0F;
    for (const int64_t i : group) accumulator = kept(add(accumulator, static_cast<size_t>(i)));
    sums.push_back(accumulator);
  }
  if (style_.order == Order::lanes) return tree(sums, 0, sums.size());
  float total = 0.0F;
  for (const float part : sums) total = kept(total + part);
  return total;
}

float Arithmetic::sum(const std::vector<float>& terms) const {
  if (style_.order == Order::wide) return static_cast<float>(std::accumulate(terms.begin(), terms.end(), 0.0));
  if (style_.order == Order::pairwise && !terms.empty()) return tree(terms, 0, terms.size());
  return reduce(static_cast<int64_t>(terms.size()), [&](float to, size_t i) { return to + terms[i]; });
}

float Arithmetic::dot(const std::vector<float>& a, const std::vector<float>& b) const {
  PARITY_CHECK(a.size() == b.size(), internal, "{} and {} factors", a.size(), b.size());
  if (style_.order == Order::wide) {
    double total = 0.0;
    for (size_t i = 0; i < a.size(); ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return static_cast<float>(total);
  }
  if (style_.order == Order::pairwise) {
    std::vector<float> products;
    for (size_t i = 0; i < a.size(); ++i) products.push_back(a[i] * b[i]);
    return products.empty() ? 0.0F : tree(products, 0, products.size());
  }
  return reduce(static_cast<int64_t>(a.size()), [&](float to, size_t i) { return multiply_add(a[i], b[i], to); });
}

float Arithmetic::multiply_add(float a, float b, float c) const {
  if (style_.fused) return std::fma(a, b, c);
  const volatile float product = a * b;  // volatile: the compiler must not fuse unless the style does
  return product + c;
}

float Arithmetic::exponential(float x) const {
  constexpr float kLog2 = 1.44269504F;
  constexpr float kSmall = 1.0F;  // up to here the rounding of the product is at most |x| u of the result
  if (style_.binary_exponential && std::abs(x) < kSmall) return std::exp2(x * kLog2);
  return std::exp(x);
}

float Arithmetic::logistic(float x) const {
  if (style_.reciprocal && x < 0.0F && x > -80.0F) {
    const float e = std::exp(x);
    return e / (1.0F + e);
  }
  return 1.0F / (1.0F + std::exp(-x));
}

float Arithmetic::quotient(float a, float b) const {
  const float inverse = 1.0F / b;
  return style_.reciprocal && std::isnormal(inverse) ? a * inverse : a / b;
}

float Arithmetic::inverse_root(float x) const {
  return style_.reciprocal ? static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))) : 1.0F / std::sqrt(x);
}

}  // namespace parity::cases
