// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: values of one tap, given by hand or drawn at random, and judging them.
#pragma once

#include <cmath>
#include <vector>

#include "compare/judging/elements.hpp"
#include "core/random.hpp"

namespace parity::compare::tests {

struct Sample {
  std::vector<double> exact, rounded, got, rounding, noise;
  int64_t row = 1;
  DType dtype = DType::bf16, working = DType::bf16;
  bool inherited = false;
  double chain_drift = 0.0;

  [[nodiscard]] Values values() const {
    Values v;
    v.exact = exact.data();
    v.rounded = rounded.data();
    v.got = got.data();
    v.rounding = rounding.data();
    v.noise = noise.data();
    v.count = static_cast<int64_t>(exact.size());
    v.row = row;
    v.dtype = dtype;
    v.working = working;
    v.inherited = inherited;
    v.chain_drift = chain_drift;
    return v;
  }
  [[nodiscard]] Record judge(const ElementRules& rules = {}) const {
    Record record;
    record.axes = "S,H";
    record.shape = {static_cast<int64_t>(exact.size()) / row, row};
    judge_elements(values(), rules, record);
    return record;
  }
  [[nodiscard]] double& at(int64_t r, int64_t c) { return got[static_cast<size_t>(r * row + c)]; }
};

/// Returns correct standard normal values: exact, rounded once to `dtype`, with `noise_units` unit roundoffs of noise.
inline Sample correct(int64_t rows, int64_t columns, DType dtype, double noise_units = 0.01) {
  Sample s;
  s.row = columns;
  s.dtype = s.working = dtype;
  const Random random(1, "sample");
  for (int64_t i = 0; i < rows * columns; ++i) {
    const double x = random.normal(static_cast<uint64_t>(i));
    s.exact.push_back(x);
    s.rounded.push_back(round_to(dtype, x));
    s.rounding.push_back(unit_roundoff(dtype) * std::abs(x));
    s.noise.push_back(noise_units * unit_roundoff(dtype) * std::abs(x));
  }
  s.got = s.rounded;
  return s;
}

/// Returns a few given elements with got = rounded = exact, all with the bounds `rounding` and `noise`.
inline Sample by_hand(std::vector<double> exact, int64_t row, double rounding, double noise,
                      DType dtype = DType::bf16) {
  Sample s;
  s.row = row;
  s.dtype = s.working = dtype;
  s.rounding.assign(exact.size(), rounding);
  s.noise.assign(exact.size(), noise);
  s.rounded = s.got = exact;
  s.exact = std::move(exact);
  return s;
}

}  // namespace parity::compare::tests
