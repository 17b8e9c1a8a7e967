// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Binary32 arithmetic as in fast kernels: other orders of accumulation, with or without fused multiply-adds. It shares
// no code with the reference, whose sums are in binary64.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/dtype.hpp"

namespace parity::cases {

/// Order in which a kernel adds the terms of one sum.
enum class Order : uint8_t {
  forward,
  backward,
  lanes,     // `width` parallel accumulators, as in vector units and warps
  parts,     // `width` runs of neighbouring terms, one per thread; then their sums are added
  pairwise,  // in a tree
  shuffled,  // in random order, like atomic additions
  wide,      // in binary64, rounded once
};
inline constexpr int kOrders = 7;
[[nodiscard]] const char* to_string(Order order);

/// The arithmetic of one kernel.
struct Style {
  Order order = Order::forward;
  int64_t width = 8;                // number of lanes or parts
  bool fused = false;               // a multiply-add rounds once
  bool reciprocal = false;          // computes a / b as a * (1 / b)
  bool binary_exponential = false;  // computes exp(x) as exp2(x log2 e) for small arguments
  int threads = 1;                  // threads of the reference
  uint64_t seed = 0;                // seed of Order::shuffled
  DType accumulator = DType::f32;   // a narrower type is no correct kernel; the study must notice it
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
  /// Returns the ids 0 … count - 1 in the order in which the kernel processes them.
  [[nodiscard]] std::vector<int64_t> visits(int64_t count) const;

 private:
  using Groups = std::vector<std::vector<int64_t>>;

  [[nodiscard]] const Groups& groups_of(int64_t count) const;
  [[nodiscard]] float kept(float accumulator) const;
  template <class Add>
  [[nodiscard]] float reduce(int64_t count, const Add& add) const;
  [[nodiscard]] float tree(const std::vector<float>& values, size_t first, size_t last) const;

  Style style_;
  mutable std::map<int64_t, Groups> groups_;  // key: number of terms
};

}  // namespace parity::cases
