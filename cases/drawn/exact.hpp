// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The lane exact: operands for which every correct kernel has equal bits, in any order of sums and with any
// precision from binary32 up. Exact operands replace those that the component's recipe drew:
//   sums         whole numbers (times a power of two) of which every partial sum in any order is a binary32 number,
//                and whose result is a number of the type
//   softmax      0 for the slots of a query, -128 or less for others, whose exponential is 0 in binary32
//   sigmoid, erf arguments at which binary32 gives exactly 0, one half or 1
//   square roots of powers of four, in types so narrow that the last bits of binary32 do not show
// An elementwise component without a recipe gets whole numbers (exact_whole.cpp).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases/drawn/maker.hpp"

namespace parity::cases {

using Recipes = std::map<std::string, Recipe>;
/// Returns the recipes of exact operands by component. A component without rounding points is exact on any operands.
[[nodiscard]] const Recipes& exact_recipes();
/// Returns the largest whole number on which an elementwise component does not round; 0: none, or not elementwise.
[[nodiscard]] int64_t most_whole(const std::string& component, DType working);
/// Replaces operands by exact ones: by the component's recipe, or by whole numbers up to most_whole.
void draw_exact(CaseMaker& m);
/// Returns why the component has no exact cases in this type, or "" if it has.
[[nodiscard]] std::string no_exact_cases(const std::string& component, DType working);

void add_exact_matrices(Recipes& recipes);
void add_exact_elementwise(Recipes& recipes);
void add_exact_rank_rows(Recipes& recipes);
void add_exact_choices(Recipes& recipes);
void add_exact_attention(Recipes& recipes);

/// Largest whole number, times a power of two, that one part of a chain (chain_case.hpp) passes to the next.
inline constexpr int64_t kHandedOn = 16;

/// Returns the largest number up to which all whole numbers are numbers of the type.
[[nodiscard]] int64_t whole_numbers(DType type);
/// Returns any number of the type except NaN, including signed zeros, subnormal and huge numbers.
[[nodiscard]] double any_number(CaseMaker& m);
/// Returns the ids 0 … count - 1 in random order.
[[nodiscard]] std::vector<int64_t> shuffled(CaseMaker& m, int64_t count);
/// Returns the largest power of two that is at most `x`.
[[nodiscard]] int64_t power_below(int64_t x);
/// Replaces an input by one whose rows, `width` long, are drawn by `row`.
void fill_rows(CaseMaker& m, const std::string& field, const std::string& axes, int64_t width,
               const std::function<std::vector<double>()>& row);

/// Factors of dot products whose large terms cancel in pairs, so that partial sums need more digits than the result. A
/// bf16 or tf32 accumulator loses these digits. The anchor is a separate term.
class Cancelling {
 public:
  static constexpr int64_t kLeft = 3;  // largest magnitude on the left

  Cancelling(CaseMaker& m, int64_t terms);

  [[nodiscard]] std::vector<double> left(int64_t anchor);
  /// Returns a right row. Its dot product with a left row is the product of the anchors, plus at most kLeft for each of
  /// `differing` pairs and one for an unpaired term. With differing = 0 nothing is added.
  [[nodiscard]] std::vector<double> right(int64_t anchor, int64_t differing);

 private:
  [[nodiscard]] int64_t pairs() const { return (static_cast<int64_t>(places_.size()) - 1) / 2; }
  [[nodiscard]] size_t place(int64_t term) const { return static_cast<size_t>(places_[static_cast<size_t>(term)]); }

  CaseMaker& m_;
  std::vector<int64_t> places_;
  int64_t most_;  // largest magnitude on the right
};

}  // namespace parity::cases
