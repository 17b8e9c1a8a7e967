// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Fits one span: which single edits of its nodes bring the reference nearer to the candidate, and with which numbers.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "faults/explaining/probe.hpp"
#include "faults/explaining/suspects.hpp"

namespace parity::faults {

/// Until when a search goes on; what it had to leave out is remembered.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds))) {}
  [[nodiscard]] bool over() const { return std::chrono::steady_clock::now() >= end_; }
  void leave_out(int64_t suspects) { left_out_ += suspects; }
  [[nodiscard]] int64_t left_out() const { return left_out_; }

 private:
  std::chrono::steady_clock::time_point end_;
  int64_t left_out_ = 0;
};

struct Fit {
  Fault fault;
  Distance distance;
};

/// Edits besides `before` that leave less of the difference than `before` alone, best first.
[[nodiscard]] std::vector<Fit> fits_of(const Probe& probe, const std::vector<Fault>& before, Deadline& deadline);

/// The shortest decimal, or the nearest number of a narrower type, among those within `tolerance` of `value`.
[[nodiscard]] std::vector<double> plain_numbers(double value);

}  // namespace parity::faults
