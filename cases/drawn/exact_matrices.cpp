// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Exact products with weights, norms, routed experts and lightning attention.

#include <algorithm>
#include <cmath>

#include "cases/drawn/exact.hpp"

namespace parity::cases {
namespace {

using Values = std::vector<double>;

/// Draws a row with so few signs that its dot product with an earlier part's numbers is a number of the type.
Values few_signs(CaseMaker& m) {
  const int64_t width = m.size('H'), most = whole_numbers(m.working()) / kHandedOn;
  Values row(static_cast<size_t>(width), 0.0);
  const auto order = shuffled(m, width);
  for (int64_t i = 0; i < std::min(most, width); ++i)
    row[static_cast<size_t>(order[static_cast<size_t>(i)])] = m.coin() ? 1.0 : -1.0;
  return row;
}

/// Draws so that |anchors| + kLeft * differing + 1 + |bias| <= whole.
void exact_linear(CaseMaker& m) {
  if (m.settled().linked.contains("weight"))
    return fill_rows(m, "x", "B,S,H", m.size('H'), [&] { return few_signs(m); });
  const int64_t whole = std::min(whole_numbers(m.working()), int64_t{1} << 16);
  Cancelling terms(m, m.size('H'));
  const int64_t differing = whole / 2 / Cancelling::kLeft - 1;
  fill_rows(m, "x", "B,S,H", m.size('H'), [&] { return terms.left(m.from(-3, 3)); });
  fill_rows(m, "weight", "F,H", m.size('H'), [&] { return terms.right(m.from(-7, 7), m.from(1, differing)); });
  if (m.has("bias"))
    m.numbers("bias", "F", TapType::working,
              [&](int64_t) { return static_cast<double>(m.from(-whole / 4, whole / 4)); });
}

void exact_patch_embed(CaseMaker& m) {
  const int64_t whole = std::min(whole_numbers(m.working()), int64_t{1} << 16);
  Cancelling terms(m, m.size('F'));
  fill_rows(m, "pixels", "P,F", m.size('F'), [&] { return terms.left(m.from(-3, 3)); });
  fill_rows(m, "weight", "H,C,2,Y,Y", m.size('F'),
            [&] { return terms.right(m.from(-7, 7), m.from(1, whole / 2 / Cancelling::kLeft - 1)); });
}

/// Returns the values in random order and sign, times 2^6 or 2^7, so that eps vanishes beside their squares.
Values mixed(CaseMaker& m, const Values& values, bool signs) {
  const double unit = m.coin() ? 64.0 : 128.0;
  const auto order = shuffled(m, static_cast<int64_t>(values.size()));
  Values row;
  for (const int64_t i : order) row.push_back(unit * values[static_cast<size_t>(i)] * (signs && m.coin() ? -1.0 : 1.0));
  return row;
}

/// Returns groups of eight whole numbers whose mean square is 4.
const std::vector<Values>& eights() {
  static const std::vector<Values> instance{{2, 2, 2, 2, 2, 2, 2, 2}, {5, 2, 1, 1, 1, 0, 0, 0},
                                            {3, 3, 3, 2, 1, 0, 0, 0}, {4, 3, 2, 1, 1, 1, 0, 0},
                                            {4, 4, 0, 0, 0, 0, 0, 0}, {4, 2, 2, 2, 1, 1, 1, 1}};
  return instance;
}

/// Draws rows whose norm is x / 2^n, times a gain of up to 4 digits and a sign; if read on, at most 5 * 3 sixteenths.
void exact_rms_norm(CaseMaker& m) {
  const auto width = static_cast<size_t>(m.size('H'));
  fill_rows(m, "x", "B,S,H", m.size('H'), [&] {
    Values row;
    while (row.size() + 8 <= width) {
      const Values& eight = m.one_of(eights());
      row.insert(row.end(), eight.begin(), eight.end());
    }
    row.resize(width, 2.0);
    return mixed(m, row, true);
  });
  const double offset = std::get<double>(m.param("gain_offset"));
  const int64_t most = m.settled().read_on ? 3 : 16;
  m.numbers("weight", "H", TapType::working,
            [&](int64_t) { return static_cast<double>(m.from(1, most)) / (m.coin() ? 8.0 : -8.0) - offset; });
}

/// Returns a row with mean 0 and variance 4: values with their negatives, and five further ones if the width is odd. If
/// the width is too small for five, all values are equal, and the bias exceeds any rounding of their deviations.
Values centred(CaseMaker& m, size_t width) {
  if (width == 1 || width == 3) return Values(width, m.coin() ? 1.0 : -2.0);
  Values row;
  if (width % 2 == 1) row = {4, -1, -1, -1, -1};
  while (row.size() + 16 <= width) {
    for (const double x : m.one_of(eights())) row.insert(row.end(), {x, -x});
  }
  while (row.size() < width) row.insert(row.end(), {2, -2});
  return mixed(m, row, false);
}

/// Draws a bias that is larger than the terms it is added to, so that nothing cancels.
void exact_layer_norm(CaseMaker& m) {
  fill_rows(m, "x", "B,S,H", m.size('H'), [&] { return centred(m, static_cast<size_t>(m.size('H'))); });
  m.numbers("weight", "H", TapType::working, [&](int64_t) {
    return m.one_of<double>({-2.0, -1.0, -0.5, 0.5, 1.0, 2.0});
  });
  m.numbers("bias", "H", TapType::working,
            [&](int64_t) { return static_cast<double>(m.from(8, 15)) * (m.coin() ? 1.0 : -1.0); });
}

/// Returns shares for a token's slots: powers of two with a sum of at most one, or in binary32 any twelve digits.
Values shares(CaseMaker& m, int64_t slots) {
  if (m.working() == DType::f32) {
    Values any(static_cast<size_t>(slots));
    for (double& share : any) share = static_cast<double>(m.from(1, 4095)) / 4096.0;
    return any;
  }
  if (slots == 1) return {m.one_of<double>({1.0, 0.5, 0.25})};
  if (slots == 2) return {0.5, 0.5};
  return slots == 3 ? Values{0.5, 0.25, 0.25} : Values{0.25, 0.25, 0.25, 0.25};
}

/// Draws gates of 64 (whose sigmoid is 1 even in binary64; sums may cancel), 0, or -128 (whose sigmoid is 0).
/// Activations are then whole multiples of 64. Tokens have the sign of the gate in the anchor: 1 or -2.
void exact_moe_experts(CaseMaker& m) {
  constexpr int64_t kGate = 64, kMostUp = 2 + Cancelling::kLeft + 1 + 1, kMostAnchor = 2;
  Cancelling hidden(m, m.size('H'));
  fill_rows(m, "x", "N,H", m.size('H'), [&] { return hidden.left(m.from(0, 3) == 0 ? -kMostAnchor : 1); });
  const int64_t slots = m.size('T');
  Values share;
  m.numbers("weights", "N,T", TapType::single, [&](int64_t i) {
    if (i % slots == 0) share = shares(m, slots);
    return share[static_cast<size_t>(i % slots)];
  });
  const int64_t width = m.size('F'), inputs = m.size('H');
  Values row;
  m.bank("gate_up", "2F,H", m.size('E'), [&](int64_t i) {
    const bool gate = i / inputs < width;
    if (i % inputs == 0) row = gate ? hidden.right(m.from(0, 3) == 0 ? 0 : kGate, 0) : hidden.right(m.from(-2, 2), 1);
    return row[static_cast<size_t>(i % inputs)];
  });
  const int64_t kept = std::min(whole_numbers(m.working()) / 4 / kMostUp, width);  // kept values per row of `down`
  m.bank("down", "H,F", m.size('E'), [&](int64_t i) {
    if (i % width == 0) {
      row.assign(static_cast<size_t>(width), 0.0);
      const auto order = shuffled(m, width);
      for (int64_t f = 0; f < kept; ++f)
        row[static_cast<size_t>(order[static_cast<size_t>(f)])] = m.coin() ? 1.0 : -1.0;
    }
    return row[static_cast<size_t>(i % width)];
  });
  if (std::isfinite(std::get<double>(m.param("limit")))) m.param("limit", static_cast<double>(kGate));
}

/// Draws heads whose state never decays, and heads that forget all but the last token. Values rounded to T (scores,
/// states, both parts of the output) are whole numbers of T: queries read `read` channels, states are at most S most^2.
void exact_lightning_attention(CaseMaker& m) {
  constexpr double kForgets = 200.0;
  const bool wide = m.working() == DType::f32;
  const int64_t most = wide ? 16 : m.working() == DType::f16 ? 2 : 1, read = wide ? m.size('D') : 4;
  const int64_t block = m.size('Q');
  const auto any = [&](int64_t) { return static_cast<double>(m.from(-most, most)); };
  m.numbers("k", "B,A,S,D", TapType::working, any);
  m.numbers("v", "B,A,S,D", TapType::working, any);
  fill_rows(m, "q", "B,A,S,D", m.size('D'), [&] {
    Values row(static_cast<size_t>(m.size('D')), 0.0);
    const auto order = shuffled(m, m.size('D'));
    for (int64_t d = 0; d < std::min(read, m.size('D')); ++d)
      row[static_cast<size_t>(order[static_cast<size_t>(d)])] = any(d);
    return row;
  });
  if (m.has("past"))
    m.numbers("past", "B,A,D,D", TapType::working, [&](int64_t) { return static_cast<double>(m.from(-20, 20)); });
  Values slopes;
  for (int64_t a = 0; a < m.size('A'); ++a) slopes.push_back(m.coin() ? 0.0 : kForgets);
  const auto decay = [&](int64_t a, int64_t distance) {
    return distance == 0 || (distance > 0 && slopes[static_cast<size_t>(a)] == 0.0) ? 1.0 : 0.0;
  };
  m.numbers("slope_rate", "A,1,1", TapType::working, [&](int64_t a) { return slopes[static_cast<size_t>(a)]; });
  m.numbers("query_decay", "A,Q,1", TapType::working, [&](int64_t i) { return decay(i / block, i % block + 1); });
  m.numbers("key_decay", "A,Q,1", TapType::working, [&](int64_t i) { return decay(i / block, block - i % block - 1); });
  m.numbers("diagonal_decay", "1,A,Q,Q", TapType::working,
            [&](int64_t i) { return decay(i / (block * block), i / block % block - i % block); });
}

}  // namespace

void add_exact_matrices(Recipes& recipes) {
  recipes["linear"] = exact_linear;
  recipes["patch_embed"] = exact_patch_embed;
  recipes["rms_norm"] = exact_rms_norm;
  recipes["layer_norm"] = exact_layer_norm;
  recipes["moe_experts"] = exact_moe_experts;
  recipes["lightning_attention"] = exact_lightning_attention;
}

}  // namespace parity::cases
