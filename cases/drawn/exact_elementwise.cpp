// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Exact activations, residuals and rotations, and components that only move data.

#include <algorithm>
#include <cmath>

#include "cases/drawn/declared.hpp"
#include "cases/drawn/exact.hpp"

namespace parity::cases {
namespace {

/// Returns x for which sigmoid(x) and sigmoid(1.702 x) are 0 in binary32, one half, or 1 even in binary64.
double saturated(CaseMaker& m, int64_t most) {
  const int64_t kind = m.from(0, 3);
  if (kind == 0) return 0.0;
  return static_cast<double>(kind == 1 ? -m.from(128, 255) : m.from(40, most));
}

/// Draws gates that are 0, 32, 40, 48 or 64 after the sigmoid, times a number up to 41: at most eight digits.
void swiglu(CaseMaker& m) {
  const int64_t half = m.size('F');
  m.numbers("gate_up", "B,S,2F", TapType::working, [&](int64_t i) {
    if (i % (2 * half) >= half) return static_cast<double>(m.from(-40, 40));
    return m.one_of<double>({0.0, 40.0, 48.0, 64.0, -128.0, -300.0});
  });
  if (std::isfinite(std::get<double>(m.param("limit")))) m.param("limit", 32.0);
}

void silu(CaseMaker& m) {
  m.numbers("x", "B,S,F", TapType::working, [&](int64_t) { return saturated(m, 255); });
}

/// Draws x with erf = 1 in binary32 (from 4 on), or with 1 + erf below any binary32 number (below -15).
void gelu(CaseMaker& m) {
  m.numbers("x", "B,S,F", TapType::working, [&](int64_t) {
    return static_cast<double>(m.from(0, 3) == 0 ? 0 : m.coin() ? m.from(16, 255) : -m.from(32, 255));
  });
}

void sigmoid_gate(CaseMaker& m) {
  const int64_t most = whole_numbers(m.working()) / 2;
  m.numbers("gate", "B,S,H", TapType::working, [&](int64_t) { return saturated(m, 64); });
  m.numbers("x", "B,S,H", TapType::working, [&](int64_t) { return static_cast<double>(m.from(-most, most)); });
}

/// Splits a sum that a later part needs. The branch gets a few units of it.
void split_sum(CaseMaker& m, const Tensor& sum) {
  constexpr double kUnit = 64.0;  // unit of the rows of norms
  std::vector<double> branch(static_cast<size_t>(sum.view().count()));
  for (double& x : branch) x = kUnit * static_cast<double>(m.from(-3, 3));
  const auto of = [&](int64_t i) { return branch[static_cast<size_t>(i)]; };
  m.numbers("residual", "B,S,H", TapType::working, [&](int64_t i) { return sum.f64()[i] - of(i); });
  m.numbers("branch", "B,S,H", TapType::working, of);
}

/// Draws halves of whole numbers up to a sixteenth of the type's, so that the sum with a factor of 4 is exact.
void residual_add(CaseMaker& m) {
  const auto sum = m.settled().wanted.find("out");
  if (sum != m.settled().wanted.end()) return split_sum(m, sum->second);
  const int64_t most = whole_numbers(m.working()) / 16;
  const auto any = [&](int64_t) { return static_cast<double>(m.from(-most, most)); };
  m.numbers("residual", "B,S,H", TapType::working, any);
  m.numbers("branch", "B,S,H", TapType::working, any);
  m.param("residual_factor", m.one_of<double>({0.5, 1.0, 1.0, 2.0, 4.0}));
  m.param("branch_factor", m.one_of<double>({0.5, 1.0, 1.0, 2.0, 4.0}));
}

/// Draws whole numbers that add up over the ranks without rounding, in any order.
void all_reduce(CaseMaker& m) {
  const int64_t ranks = draw_ranks(m), most = whole_numbers(m.working()) / ranks;
  for (int64_t r = 0; r < ranks; ++r)
    m.numbers("parts", "N,H", TapType::working, [&](int64_t) { return static_cast<double>(m.from(-most, most)); });
}

/// Draws tables of 0 and powers of two, equal for both channels of a pair. Unrotated channels hold any numbers.
void partial_rope(CaseMaker& m) {
  const int64_t most = whole_numbers(m.working()) / 8 - 1, width = m.size('W');
  m.numbers("x", "B,A,S,D", TapType::working, [&](int64_t i) {
    return i % m.size('D') < m.size('R') ? static_cast<double>(m.from(-most, most)) : any_number(m);
  });
  for (const char* table : {"cos", "sin"}) {
    std::vector<double> half(static_cast<size_t>(width));
    m.numbers(table, "B,S,R", m.type_of_given(table), [&](int64_t i) {
      double& value = half[static_cast<size_t>(i % width)];
      if (i % m.size('R') < width) value = m.one_of<double>({0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0});
      return value;
    });
  }
}

/// Draws any codes with power-of-two scales, or whole numbers if a later part reads them.
void dequantise(CaseMaker& m) {
  constexpr int64_t kBias = 127, kMost = 4;  // scales of 1, 2 or 4, for kHandedOn
  const bool whole = m.settled().read_on;
  const auto code = [&](int64_t) {
    return whole ? static_cast<double>(m.from(-kMost, kMost)) : round_to(DType::e4m3fn, 8.0 * m.normal());
  };
  m.numbers("codes", "F,K", TapType::wide, code);
  if (!m.has("scales")) return;
  const bool exponents = std::get<bool>(m.param("exponents"));
  m.numbers("scales", "P,Q", TapType::wide, [&](int64_t) {
    const int64_t power = whole ? m.from(0, 2) : m.from(-9, 9);
    return exponents ? static_cast<double>(kBias + power) : std::exp2(static_cast<double>(power));
  });
}

void cache_append(CaseMaker& m) {
  const auto any = [&](int64_t) { return any_number(m); };
  if (m.has("past")) m.numbers("past", "B,G,P,D", TapType::working, any);
  m.numbers("fresh", "B,G,S,D", TapType::working, any);
}

void paged_view(CaseMaker& m) {
  m.numbers("pages", "Y,G,Q,D", TapType::working, [&](int64_t) { return any_number(m); });
}

}  // namespace

void add_exact_elementwise(Recipes& recipes) {
  recipes["swiglu"] = swiglu;
  recipes["silu"] = silu;
  recipes["gelu"] = gelu;
  recipes["sigmoid_gate"] = sigmoid_gate;
  recipes["residual_add"] = residual_add;
  recipes["all_reduce"] = all_reduce;
  recipes["partial_rope"] = partial_rope;
  recipes["dequantise"] = dequantise;
  recipes["cache_append"] = cache_append;
  recipes["paged_view"] = paged_view;
}

}  // namespace parity::cases
