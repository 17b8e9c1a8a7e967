// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The tolerance: how far each element of a candidate may be from the exact value, and the terms it is derived from.
#pragma once

#include <vector>

#include "compare/judging/record.hpp"
#include "core/dtype.hpp"
#include "replay/spans/walk.hpp"

namespace parity::compare {

/// Factor on the oracle's error in a row. Another order of the same roundings stays within it.
constexpr double kOracleFactor = 2.0;
/// Number of elements by which a row shows the size of its roundings. One element exceeds twice the largest of 32 like
/// it once in 6500 times, of 2 once in 8. Shorter rows use the tap's error instead, as do all rows of a freely rounding
/// candidate, whose elements may share few roundings. If the tap itself is smaller, the factor grows.
constexpr int64_t kTellingRow = 32;
/// Returns the factor by which a normal number exceeds the largest of `others` like it as rarely as kOracleFactor that
/// of kTellingRow: 2 for 32, 2.6 for 16, 3.9 for 8, 9.2 for 4, 64 for 2, infinity for 1.
[[nodiscard]] double oracle_factor(int64_t others);
/// Least row length, like kTellingRow, for a candidate with the oracle's rounding points. Such a candidate differs only
/// at inner near-ties (one of 76 probabilities, in one of 400 rows), so once in 26, for 4 elements, is rare enough.
constexpr int64_t kTellingRowSame = 4;
/// Factor on the drift of a chain, or of a span with inner nodes. The drift is one sample of how roundings add up,
/// without the order of sums. Correct recordings reach 2.5 times it in bf16 and 6.2 times in f32.
constexpr double kDriftFactor = 4.0;
constexpr double kDriftFactorSingle = 12.0;

/// The values of one tap, as arrays of binary64.
struct Values {
  const double* exact = nullptr;
  const double* rounded = nullptr;
  const double* got = nullptr;
  const double* rounding = nullptr;  // bounds of core/bounded.hpp
  const double* noise = nullptr;
  int64_t count = 0;
  int64_t row = 1;             // elements per row, the extent of the last axis
  DType dtype = DType::f64;    // recorded type
  DType working = DType::f64;  // T of the run
  bool inherited = false;      // the inputs were not the recording's
  bool binary32 = false;       // binary64 run that uses our binary32 tables
  double chain_drift = 0.0;    // largest relative drift before this tap, which a small tap may not show
  int64_t telling_row = 0;     // shorter rows do not show the candidate's roundings: the tap's error is used
  bool rounds_freely = false;  // the candidate may round at other points than the oracle
};

/// Tolerance of an element: tolerance[i] = noise + min(rounding, 2 max_row|rounded - exact| + u|exact|) (+ factor *
/// drift if inherited). If a freely rounding tap has fewer than kTellingRow elements, or any tap has
/// one, oracle_factor replaces the 2. The
/// reference is no more exact than a binary64 run: there the tolerance is twice rounding + noise, and 2^-41 of the tap
/// per chain (2^-18 if it uses binary32 tables that are not recorded).
class Tolerance {
 public:
  explicit Tolerance(const Values& values);

  [[nodiscard]] double at(int64_t i) const { return terms(i).tolerance; }
  [[nodiscard]] Terms terms(int64_t i) const;
  [[nodiscard]] double drift() const { return drift_; }      // largest |rounded - exact| of the tap
  [[nodiscard]] double largest() const { return largest_; }  // largest finite |exact|
  [[nodiscard]] double relative_drift() const { return largest_ > 0.0 ? drift_ / largest_ : 0.0; }

 private:
  const Values& values_;
  std::vector<double> row_error_;  // largest |rounded - exact| of each row
  double share_ = 0.0;  // largest share of its bound that the oracle's error uses, for rows too short to show it
  double factor_ = kOracleFactor;
  double drift_ = 0.0;
  double inherited_ = 0.0;  // drift in the tolerance
  double largest_ = 0.0;
};

}  // namespace parity::compare
