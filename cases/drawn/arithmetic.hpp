// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Binary32 arithmetic as fast kernels do it: accumulators in another order, fused or not. Shares no code with the
// reference, whose sums are binary64.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/dtype.hpp"

namespace parity::cases {

/// In which order a kernel adds the terms of one sum.
enum class Order : uint8_t {
  forward,
  backward,
  lanes,     // `width` parallel accumulators, as in vector units and warps
  parts,     // `width` runs of neighbours, one thread each; their sums are added
  pairwise,  // a tree
  shuffled,  // atomic additions in any order
  wide,      // in binary64, rounded once
};
inline constexpr int kOrders = 7;
[[nodiscard]] const char* to_string(Order order);

/// How one kernel computes.
struct Style {
  Order order = Order::forward;
  int64_t width = 8;                // lanes or parts
  bool fused = false;               // multiply-adds round once
  bool reciprocal = false;          // a / b as a * (1 / b)
  bool binary_exponential = false;  // exp(x) as exp2(x log2 e), small arguments only
  int threads = 1;                  // of the reference
  uint64_t seed = 0;                // of the shuffle
  DType accumulator = DType::f32;   // narrower ones are no correct kernels: the study has to notice them
};

class Arithmetic {
 public:
  explicit Arithmetic(const Style& style) : style_(style) {}

  [[nodiscard]] const Style& style() const { return style_; }
  [[nodiscard]] float sum(const std::vector<float>& terms) const;
  [[nodiscard]] float dot(const std::vector<float>& a, const std::vector<float>& b) const;
  [[nodiscard]] float multiply_add(float a, float b, float c) const;
  [[nodiscard]] float exponential(float x) const;
  [[nodiscard]] float logistic(float x) const;
  [[nodiscard]] float quotient(float a, float b) const;
  [[nodiscard]] float inverse_root(float x) const;
  /// The ids 0 … count - 1 in the order in which the kernel comes by them.
  [[nodiscard]] std::vector<int64_t> visits(int64_t count) const;

 private:
  using Groups = std::vector<std::vector<int64_t>>;

  [[nodiscard]] const Groups& groups_of(int64_t count) const;
  [[nodiscard]] float kept(float accumulator) const;
  template <class Add>
  [[nodiscard]] float reduce(int64_t count, const Add& add) const;
  [[nodiscard]] float tree(const std::vector<float>& values, size_t first, size_t last) const;

  Style style_;
  mutable std::map<int64_t, Groups> groups_;  // by the number of terms
};

}  // namespace parity::cases
