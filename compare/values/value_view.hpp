// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shared parts of the descriptions of wrong values: which elements are wrong, when a number is expected, and chance.
#pragma once

#include <string>
#include <vector>

#include "compare/values/region.hpp"
#include "compare/values/value_match.hpp"

namespace parity::compare {

/// Least share of the wrong elements for which a description must hold. The rest may deviate for another reason.
constexpr double kNearlyAll = 0.95;
/// Least evidence of a description: the bits by which it is less likely by chance than one in two. Some 50 descriptions
/// are tested per tap, so 2^-12 gives at most one wrong name in 80 taps of noise. Real errors exceed it by hundreds.
constexpr double kLeastEvidence = 12.0;

/// A description that is true of `explained` wrong elements.
struct Claim {
  ValueKind kind = ValueKind::zero;
  std::string axis;
  std::string detail;
  int64_t explained = 0;
  double evidence = 0.0;  // bits, less those spent on fitted parameters (a factor, a distance)
  bool own_axes = true;   // true: of recorded axes; false: of rows or folded axes
};

class ValueView {
 public:
  /// How elements are compared. bits: an element is wrong if its bits differ from the rounded reference's, and equal
  /// means equal bits. allowed: both are decided by the allowed deviation.
  enum class Closeness : uint8_t { bits, allowed };

  ValueView(const ValueQuery& query, Closeness closeness);

  [[nodiscard]] const ValueQuery& query() const { return query_; }
  [[nodiscard]] bool by_bits() const { return closeness_ == Closeness::bits; }
  [[nodiscard]] const std::vector<int64_t>& wrong() const { return wrong_; }
  [[nodiscard]] int64_t wrongs() const { return static_cast<int64_t>(wrong_.size()); }
  [[nodiscard]] bool is_wrong(int64_t i) const { return marked_[static_cast<size_t>(i)]; }
  [[nodiscard]] double got(int64_t i) const { return query_.got[i]; }
  [[nodiscard]] double expected(int64_t j) const { return expected_[static_cast<size_t>(j)]; }
  /// Returns the deviation from `expected` within which a number still counts as equal. Never NaN.
  [[nodiscard]] double slack(int64_t j) const;
  /// Whether `number` equals the value expected of element j.
  [[nodiscard]] bool is_expected(double number, int64_t j) const;
  /// Whether the wrong elements have at least `least` different expected values. Ids need a few, because a single wrong
  /// id always fits an offset.
  [[nodiscard]] bool expects_several(size_t least) const;
  /// Returns half a unit in the last place of the recorded type at `x`, or 0 for integers.
  [[nodiscard]] double last_rounding(double x) const;
  [[nodiscard]] double largest() const { return largest_; }  // largest finite expected magnitude

  /// Returns the evidence, in bits, of a random element of the tap lying in [number - slack, number + slack].
  [[nodiscard]] double surprise(double number, double slack) const;
  /// Returns the evidence, in bits, of all expected values of the elements. Some thousand of many are sampled.
  [[nodiscard]] double surprise_of(const std::vector<int64_t>& sources) const;
  /// Returns the cost, in bits, of a fitted number of the recorded type.
  [[nodiscard]] double bits_of_a_number() const;

  [[nodiscard]] const std::vector<Grouping>& groupings() const { return groupings_; }
  /// Returns the region of the wrong elements, as the judge describes it.
  [[nodiscard]] const Region& region() const { return region_; }
  /// Returns the region except axis `except`: "head 2", "token 11", "all elements", "72 of 128 elements, scattered".
  [[nodiscard]] std::string place(const std::string& except = {}) const;
  /// Returns the letter of the axis to which the wrong elements are limited, or "" for the whole tap.
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

/// Finders of descriptions. Each returns its possible claims, including those too weak to report.
[[nodiscard]] std::vector<Claim> claims_of_numbers(const ValueView& view);     // unwritten … negated
[[nodiscard]] std::vector<Claim> claims_of_arithmetic(const ValueView& view);  // scaled, offset
[[nodiscard]] std::vector<Claim> claims_of_rows(const ValueView& view);        // each row scaled
[[nodiscard]] std::vector<Claim> claims_of_rounding(const ValueView& view);
[[nodiscard]] std::vector<Claim> claims_of_moves(const ValueView& view);  // slices along an axis
[[nodiscard]] std::vector<Claim> claims_of_transposing(const ValueView& view);
[[nodiscard]] std::vector<Claim> claims_of_copies(const ValueView& view);  // stale, input
[[nodiscard]] std::vector<Claim> claims_of_ids(const ValueView& view);     // ids renamed

}  // namespace parity::compare
