// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Fits one span: finds single edits of its nodes, with numbers, that bring the reference nearer to the candidate.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "faults/explaining/probe.hpp"
#include "faults/explaining/suspects.hpp"

namespace parity::faults {

/// Time limit of a search. Counts the suspects that the search left out.
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

/// Returns the edits that reduce the difference left by `before`, best first.
[[nodiscard]] std::vector<Fit> fits_of(const Probe& probe, const std::vector<Fault>& before, Deadline& deadline);

/// Returns plain numbers near `value`: its shortest decimal and the nearest number of a narrower type.
[[nodiscard]] std::vector<double> plain_numbers(double value);

}  // namespace parity::faults
