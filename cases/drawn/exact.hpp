// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The exact lane: operands for which every correct kernel has the same bits, in any order of sums and with any
// precision from binary32 up. A case is drawn by its component's recipe; then operands take the place of those drawn:
//   sums         whole numbers (times a power of two) of which every partial sum in any order is a binary32 number, and whose
//                result is a number of the type
//   softmax      0 where a query belongs, -128 and less elsewhere, of which the exponential is 0 in binary32
//   sigmoid, erf arguments where binary32 has reached 0, one half or 1
//   square roots of powers of four, in types narrow enough that the last bits of binary32 do not show
// An elementwise component without a recipe gets whole numbers (exact_whole.cpp).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases/drawn/maker.hpp"

namespace parity::cases {

using Recipes = std::map<std::string, Recipe>;
/// What takes the place of drawn operands, by component. One without rounding points is exact on any.
[[nodiscard]] const Recipes& exact_recipes();
/// On whole numbers up to this one an elementwise component rounds nothing; 0: on none above 1, or it is not elementwise.
[[nodiscard]] int64_t most_whole(const std::string& component, DType working);
/// Draws what takes the place of operands: by the component's recipe, or whole numbers up to most_whole.
void draw_exact(CaseMaker& m);
/// Why there are no exact cases of the component in this type; empty when there are.
[[nodiscard]] std::string no_exact_cases(const std::string& component, DType working);

void add_exact_matrices(Recipes& recipes);
void add_exact_elementwise(Recipes& recipes);
void add_exact_choices(Recipes& recipes);
void add_exact_attention(Recipes& recipes);

/// In a chain (chain_case.hpp) what one part hands to the next are whole numbers of at most this, times a power of two.
inline constexpr int64_t kHandedOn = 16;

/// Every whole number up to this one is a number of the type.
[[nodiscard]] int64_t whole_numbers(DType type);
/// Any number of the type that is no NaN: signed zeros, subnormal and huge ones among them.
[[nodiscard]] double any_number(CaseMaker& m);
/// The ids 0 … count - 1 in any order.
[[nodiscard]] std::vector<int64_t> shuffled(CaseMaker& m, int64_t count);
/// The largest power of two that is at most `x`.
[[nodiscard]] int64_t power_below(int64_t x);
/// An input whose rows, `width` long, are drawn one by one.
void fill_rows(CaseMaker& m, const std::string& field, const std::string& axes, int64_t width,
               const std::function<std::vector<double>()>& row);

/// Factors of dots: terms are large and cancel in pairs, so that partial sums need more digits than the result has. A bf16
/// or tf32 accumulator loses them. The anchor is a term by itself.
class Cancelling {
 public:
  static constexpr int64_t kLeft = 3;  // |left|

  Cancelling(CaseMaker& m, int64_t terms);

  [[nodiscard]] std::vector<double> left(int64_t anchor);
  /// Its dot with a left row is the anchors' product and at most kLeft for each of `differing` pairs, and one for the term
  /// that may be over; with 0 nothing is added.
  [[nodiscard]] std::vector<double> right(int64_t anchor, int64_t differing);

 private:
  [[nodiscard]] int64_t pairs() const { return (static_cast<int64_t>(places_.size()) - 1) / 2; }
  [[nodiscard]] size_t place(int64_t term) const { return static_cast<size_t>(places_[static_cast<size_t>(term)]); }

  CaseMaker& m_;
  std::vector<int64_t> places_;
  int64_t most_;  // |right|
};

}  // namespace parity::cases
