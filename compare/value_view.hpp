// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the descriptions of wrong values share: which elements are wrong, when a number is an expected one, what chance gives.
#pragma once

#include <string>
#include <vector>

#include "compare/region.hpp"
#include "compare/value_match.hpp"

namespace parity::compare {

/// Share of the wrong elements that a description has to hold for: the rest may be deviations of another kind.
constexpr double kNearlyAll = 0.95;
/// Bits by which a description must be less likely by chance than one in two. Some 50 descriptions are tested on a tap, so
/// that 2^-12 each makes one wrong name in 80 taps of pure noise at most; values of many elements are beyond it by hundreds.
constexpr double kLeastEvidence = 12.0;

/// A description that holds for `explained` wrong elements.
struct Claim {
  ValueKind kind = ValueKind::zero;
  std::string axis;
  std::string detail;
  int64_t explained = 0;
  double evidence = 0.0;  // bits, what the description itself chose (a factor, a distance) taken off
  bool own_axes = true;   // of the axes as they are; not of rows or of axes in one
};

class ValueView {
 public:
  /// Bits: an element is wrong when it has other bits than the rounded reference, and equal means the same bits. Else the
  /// allowed deviation says both.
  enum class Closeness : uint8_t { bits, allowed };

  ValueView(const ValueQuery& query, Closeness closeness);

  [[nodiscard]] const ValueQuery& query() const { return query_; }
  [[nodiscard]] bool by_bits() const { return closeness_ == Closeness::bits; }
  [[nodiscard]] const std::vector<int64_t>& wrong() const { return wrong_; }
  [[nodiscard]] int64_t wrongs() const { return static_cast<int64_t>(wrong_.size()); }
  [[nodiscard]] bool is_wrong(int64_t i) const { return marked_[static_cast<size_t>(i)]; }
  [[nodiscard]] double got(int64_t i) const { return query_.got[i]; }
  [[nodiscard]] double expected(int64_t j) const { return expected_[static_cast<size_t>(j)]; }
  /// Deviation from `expected` that still is the same number; never NaN.
  [[nodiscard]] double slack(int64_t j) const;
  /// Whether `number` is what is expected of element j.
  [[nodiscard]] bool is_expected(double number, int64_t j) const;
  /// The least number of different expected values among the wrong elements. Ids need a few: one instead of another is more by some
  /// number, too.
  [[nodiscard]] bool expects_several(size_t least) const;
  /// Half a unit in the last place of the recorded type at `x`; 0 for integers.
  [[nodiscard]] double last_rounding(double x) const;
  [[nodiscard]] double largest() const { return largest_; }  // finite expected magnitude

  /// Bits that it takes to hit [number - slack, number + slack] with an element of the tap taken at random.
  [[nodiscard]] double surprise(double number, double slack) const;
  /// The same of all that is expected of the elements; a few thousand of them are sampled.
  [[nodiscard]] double surprise_of(const std::vector<int64_t>& sources) const;
  /// Bits of a free number of the recorded type: what a fitted parameter costs.
  [[nodiscard]] double bits_of_a_number() const;

  [[nodiscard]] const std::vector<Grouping>& groupings() const { return groupings_; }
  /// Where the wrong elements are, as the judge says it.
  [[nodiscard]] const Region& region() const { return region_; }
  /// "head 2", "sequence 0, token 11"; "all elements"; "72 of 128 elements, scattered". Without the part of axis `except`.
  [[nodiscard]] std::string place(const std::string& except = {}) const;
  /// The letter of the axis along which the wrong elements stand out; empty for the whole tap.
  [[nodiscard]] std::string axis() const;

 private:
  const ValueQuery& query_;
  Closeness closeness_;
  std::vector<double> expected_;
  std::vector<double> sorted_;  // finite expected values
  std::vector<bool> marked_;
  std::vector<int64_t> wrong_;
  std::vector<Grouping> groupings_;
  Region region_;
  double largest_ = 0.0;
};

/// The descriptions; each returns what could be claimed, also what is too weak.
[[nodiscard]] std::vector<Claim> claims_of_numbers(const ValueView& view);     // unwritten … negated
[[nodiscard]] std::vector<Claim> claims_of_arithmetic(const ValueView& view);  // scaled, offset
[[nodiscard]] std::vector<Claim> claims_of_rounding(const ValueView& view);
[[nodiscard]] std::vector<Claim> claims_of_moves(const ValueView& view);  // slices along an axis
[[nodiscard]] std::vector<Claim> claims_of_transposing(const ValueView& view);
[[nodiscard]] std::vector<Claim> claims_of_copies(const ValueView& view);  // stale, input
[[nodiscard]] std::vector<Claim> claims_of_ids(const ValueView& view);     // ids renamed

}  // namespace parity::compare
