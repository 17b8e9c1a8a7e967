// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How far a candidate may be from the exact value, element by element, and from what that follows.
#pragma once

#include <vector>

#include "compare/record.hpp"
#include "core/dtype.hpp"
#include "replay/walk.hpp"

namespace parity::compare {

/// Factor on the oracle's own error in the row: another order of the same roundings stays within it.
constexpr double kOracleFactor = 2.0;
/// Elements of a row that show how far the roundings in it go. One element is off by more than twice the largest of 32
/// others of its kind once in 6500 times, of 2 others once in 8. The tap speaks for shorter rows, and where the candidate rounds freely
/// for all, as their elements may have few roundings in common; where it has fewer elements itself, the factor grows.
constexpr int64_t kTellingRow = 32;
/// Factor by which one normal number exceeds the largest of `others` of its kind as seldom as kOracleFactor the largest of
/// kTellingRow: 2 for 32, 2.6 for 16, 3.9 for 8, 9.2 for 4, 64 for 2; of one alone it says nothing.
[[nodiscard]] double oracle_factor(int64_t others);
/// The same for a candidate that rounds where the oracle does. Only near-ties inside make it another sample (one of 76
/// probabilities that falls to the other side, in one row of some 400), so one in 26, for 4 others, is rare enough.
constexpr int64_t kTellingRowSame = 4;
/// Factor on the drift of a chain (or of a span with inner nodes) at this tap. Drift is one sample of how roundings add
/// up, without the order of sums; correct recordings reach 2.5 times it in bf16 and 6.2 times in f32.
constexpr double kDriftFactor = 4.0;
constexpr double kDriftFactorSingle = 12.0;

/// The values of one tap, as arrays of binary64.
struct Values {
  const double* exact = nullptr;
  const double* rounded = nullptr;
  const double* got = nullptr;
  const double* rounding = nullptr;  // bound terms (core/bounded.hpp)
  const double* noise = nullptr;
  int64_t count = 0;
  int64_t row = 1;             // elements per row: the last axis
  DType dtype = DType::f64;    // as recorded
  DType working = DType::f64;  // T of the run
  bool inherited = false;      // inputs were not the recording's own
  bool binary32 = false;       // binary64 run through binary32 tables of our own
  double chain_drift = 0.0;    // largest relative drift before this tap: a small tap may miss it by chance
  int64_t telling_row = 0;  // shorter rows do not show how far roundings of the candidate's go: the tap speaks for them
  bool rounds_freely = false;  // the candidate need not round where the oracle does
};

/// tolerance[i] = noise + min(rounding, 2 max_row|rounded - exact| + u|exact|)  (+ factor * drift when inherited)
/// … with oracle_factor instead of 2 where a tap has fewer than kTellingRow elements and the candidate rounds freely.
/// A binary64 run is no less exact than the reference itself: twice rounding + noise, and 2^-41 of the tap per chain
/// (2^-18 if it uses binary32 tables that are not recorded).
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
  std::vector<double> row_error_;  // largest |rounded - exact| per row
  double share_ = 0.0;  // of its bound that the oracle's roundings use at most, where rows are too short to show it
  double factor_ = kOracleFactor;
  double drift_ = 0.0;
  double inherited_ = 0.0;  // drift that the tolerance reckons with
  double largest_ = 0.0;
};

}  // namespace parity::compare
