// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/value_match.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace parity::compare {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A tap of normal numbers and a candidate's copy of it. (B, S, A, D) = (2, 6, 4, 8), recorded as "B,S,AD".
struct Tap {
  static constexpr int64_t B = 2, S = 6, A = 4, D = 8;
  DType dtype = DType::bf16;
  std::string axes = "B,S,AD";
  Shape shape{B, S, A* D};
  AxisSizes sizes{{'B', B}, {'S', S}, {'A', A}, {'D', D}};
  std::vector<double> exact, rounded, got, allowed;
  std::vector<OtherTensor> others;

  explicit Tap(DType type = DType::bf16, uint64_t seed = 1) : dtype(type) {
    const Random random(seed, "value_match");
    for (int64_t i = 0; i < B * S * A * D; ++i) {
      exact.push_back(random.normal(static_cast<uint64_t>(i)));
      rounded.push_back(round_to(dtype, exact.back()));
      allowed.push_back(2.0 * unit_roundoff(dtype) * std::abs(exact.back()));
    }
    got = rounded;
  }

  static size_t at(int64_t b, int64_t s, int64_t a, int64_t d) {
    return static_cast<size_t>(((b * S + s) * A + a) * D + d);
  }
  /// Every element becomes change(value, b, s, a, d).
  template <class Change>
  Tap& changed(const Change& change) {
    for (int64_t b = 0; b < B; ++b)
      for (int64_t s = 0; s < S; ++s)
        for (int64_t a = 0; a < A; ++a)
          for (int64_t d = 0; d < D; ++d) got[at(b, s, a, d)] = change(rounded[at(b, s, a, d)], b, s, a, d);
    return *this;
  }
  /// Every element becomes what stood at the place that source names.
  template <class Source>
  Tap& moved(const Source& source) {
    return changed([&](double, int64_t b, int64_t s, int64_t a, int64_t d) { return rounded[source(b, s, a, d)]; });
  }
  [[nodiscard]] std::optional<ValueMatch> match() const {
    ValueQuery query;
    query.got = got.data();
    query.rounded = rounded.data();
    query.exact = exact.data();
    query.allowed = allowed.data();
    query.count = static_cast<int64_t>(got.size());
    query.dtype = dtype;
    query.axes = axes;
    query.shape = shape;
    query.sizes = sizes;
    query.others = others;
    return match_values(query);
  }
  /// "kind axis: detail"; empty: no match.
  [[nodiscard]] std::string words() const {
    const auto found = match();
    return found ? std::string(to_string(found->kind)) + " " + found->axis + ": " + found->detail : "";
  }
};

using I = int64_t;

TEST(ValueMatch, NothingWrongIsNothingToName) { EXPECT_EQ(Tap().words(), ""); }

TEST(ValueMatch, HeadOfZeros) {
  Tap tap;
  tap.changed([](double x, I, I, I a, I) { return a == 2 ? 0.0 : x; });

  EXPECT_EQ(tap.words(), "zero A: head 2 is zero");
  EXPECT_EQ(tap.match()->explains, 1.0);
}

TEST(ValueMatch, WholeTapOfZeros) {
  Tap tap;
  tap.changed([](double, I, I, I, I) { return 0.0; });

  EXPECT_EQ(tap.words(), "zero : every element is zero");
}

TEST(ValueMatch, TokenOfOneNumber) {
  Tap tap;
  tap.changed([](double x, I, I s, I, I) { return s == 3 ? 0.5 : x; });

  EXPECT_EQ(tap.words(), "constant S: token 3 is 0.5 everywhere");
}

TEST(ValueMatch, NegatedSequence) {
  Tap tap(DType::f32);
  tap.changed([](double x, I b, I, I, I) { return b == 1 ? -x : x; });

  EXPECT_EQ(tap.words(), "negated B: sequence 1 is negated");
}

TEST(ValueMatch, FactorsHaveNames) {
  Tap twice, root, any;
  twice.changed([](double x, I, I, I a, I) { return a == 1 ? 2.0 * x : x; });
  root.changed([](double x, I, I, I, I) { return round_to(DType::bf16, x / std::sqrt(8.0)); });
  any.changed([](double x, I, I, I, I) { return round_to(DType::bf16, 1.3 * x); });

  EXPECT_EQ(twice.words(), "scaled A: head 1 times 2");
  EXPECT_EQ(root.words(), "scaled : every element times 1/sqrt(8)");
  EXPECT_EQ(any.words(), "scaled : every element times 1.3");
}

TEST(ValueMatch, Offset) {
  Tap tap(DType::f32);
  tap.changed([](double x, I, I, I, I d) { return d == 5 ? round_to(DType::f32, x + 1.0) : x; });

  EXPECT_EQ(tap.words(), "offset D: channel 5 plus 1");
}

TEST(ValueMatch, WhatRoundingsExplainIsNoOffset) {
  Tap tap(DType::f32);
  for (double& x : tap.exact) x = 1.0 + 0.1 * x;
  for (size_t i = 0; i < tap.exact.size(); ++i) {
    tap.rounded[i] = round_to(DType::f32, tap.exact[i]);
    tap.got[i] = round_to(DType::f32, tap.rounded[i] + 2e-7);  // another correct norm, an ulp or two above
    tap.allowed[i] = 1e-7;
  }

  EXPECT_EQ(tap.words(), "");
}

TEST(ValueMatch, OneTokenLate) {
  Tap kept, zeros, turned;
  kept.moved([](I b, I s, I a, I d) { return Tap::at(b, std::max<I>(s - 1, 0), a, d); });
  zeros.changed([&](double, I b, I s, I a, I d) { return s == 0 ? 0.0 : zeros.rounded[Tap::at(b, s - 1, a, d)]; });
  turned.moved([](I b, I s, I a, I d) { return Tap::at(b, (s + Tap::S - 1) % Tap::S, a, d); });

  EXPECT_EQ(kept.words(), "shifted S: one token late, nothing cyclically");
  EXPECT_EQ(zeros.words(), "shifted S: one token late, nothing cyclically");
  EXPECT_EQ(turned.words(), "shifted S: one token late cyclically");
}

TEST(ValueMatch, OneTokenLateInOneHeadOfOneSequence) {
  Tap tap;
  tap.moved([](I b, I s, I a, I d) { return Tap::at(b, a == 1 && b == 0 ? (s + Tap::S - 1) % Tap::S : s, a, d); });

  EXPECT_EQ(tap.words(), "shifted S: one token late cyclically in sequence 0, head 1");
}

TEST(ValueMatch, TwoHeadsExchanged) {
  Tap tap;
  tap.moved([](I b, I s, I a, I d) { return Tap::at(b, s, a == 1 ? 3 : a == 3 ? 1 : a, d); });

  EXPECT_EQ(tap.words(), "exchanged A: heads 1 and 3 exchanged");
}

TEST(ValueMatch, RowsOfDifferentSequencesExchanged) {
  Tap tap;
  tap.moved([](I b, I s, I a, I d) {
    if (b == 0 && s == 2) return Tap::at(1, 4, a, d);
    return b == 1 && s == 4 ? Tap::at(0, 2, a, d) : Tap::at(b, s, a, d);
  });

  EXPECT_EQ(tap.match()->kind, ValueKind::exchanged);
  EXPECT_EQ(tap.match()->axis, "S");
}

TEST(ValueMatch, HalvesOfTheChannelsExchanged) {
  Tap tap;
  tap.moved([](I b, I s, I a, I d) { return Tap::at(b, s, a, (d + 4) % 8); });

  EXPECT_EQ(tap.words(), "exchanged D: the halves of the channels exchanged");
}

TEST(ValueMatch, HeadsReversed) {
  Tap tap;
  tap.moved([](I b, I s, I a, I d) { return Tap::at(b, s, Tap::A - 1 - a, d); });

  EXPECT_EQ(tap.words(), "reversed A: heads reversed");
}

TEST(ValueMatch, TokensInAnotherOrder) {
  Tap tap;
  const std::vector<I> order{2, 0, 4, 1, 3, 5};
  tap.moved([&](I b, I s, I a, I d) { return Tap::at(b, order[static_cast<size_t>(s)], a, d); });

  EXPECT_EQ(tap.words(), "permuted S: tokens 0, 1, 2, 3, 4 hold the values of 2, 0, 4, 1, 3");
}

TEST(ValueMatch, OneHeadInThePlaceOfAnother) {
  Tap tap;
  tap.moved([](I b, I s, I a, I d) { return Tap::at(b, s, a == 3 ? 0 : a, d); });

  EXPECT_EQ(tap.words(), "permuted A: head 3 holds the values of head 0");
}

TEST(ValueMatch, EveryHeadTheSame) {
  Tap tap;
  tap.moved([](I b, I s, I, I d) { return Tap::at(b, s, 0, d); });

  EXPECT_EQ(tap.match()->kind, ValueKind::constant);
  EXPECT_EQ(tap.match()->axis, "A");
}

TEST(ValueMatch, WrittenWithTheAxesTheOtherWayRound) {
  Tap tap;
  size_t next = 0;
  for (I b = 0; b < Tap::B; ++b)
    for (I a = 0; a < Tap::A; ++a)
      for (I s = 0; s < Tap::S; ++s)
        for (I d = 0; d < Tap::D; ++d) tap.got[next++] = tap.rounded[Tap::at(b, s, a, d)];

  EXPECT_EQ(tap.words(), "transposed S,A: tokens and heads exchanged (written in the other order)");
}

TEST(ValueMatch, ReadWithTheAxesTheOtherWayRound) {
  Tap tap;
  size_t next = 0;
  for (I b = 0; b < Tap::B; ++b)
    for (I a = 0; a < Tap::A; ++a)
      for (I s = 0; s < Tap::S; ++s)
        for (I d = 0; d < Tap::D; ++d) tap.got[Tap::at(b, s, a, d)] = tap.rounded[next++];

  EXPECT_EQ(tap.words(), "transposed S,A: tokens and heads exchanged (read in the other order)");
}

TEST(ValueMatch, Interleaved) {
  Tap joined, split;
  joined.moved([](I b, I s, I a, I d) { return Tap::at(b, s, a, d % 2 * 4 + d / 2); });
  split.moved([](I b, I s, I a, I d) { return Tap::at(b, s, a, d % 4 * 2 + d / 4); });

  EXPECT_EQ(joined.words(), "interleaved D: channels alternate where halves are expected");
  EXPECT_EQ(split.words(), "interleaved D: halves of channels where they alternate");
}

TEST(ValueMatch, RoundedOnceMore) {
  Tap single(DType::f32), half(DType::bf16);
  single.changed([](double x, I, I, I, I) { return round_to(DType::bf16, x); });
  half.changed([](double x, I, I, I, I) { return round_to(DType::e4m3fn, x); });

  EXPECT_EQ(single.words(), "rounded : every element rounded once more, to bf16");
  EXPECT_EQ(half.words(), "rounded : every element rounded once more, to e4m3fn");
}

/// As engines do it that take the upper half of a binary32.
double upper_half(double x) {
  return static_cast<double>(std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(x)) & 0xFFFF0000U));
}

TEST(ValueMatch, Truncated) {
  Tap single(DType::f32), own(DType::bf16);
  single.changed([](double x, I, I, I, I) { return upper_half(x); });
  for (size_t i = 0; i < own.got.size(); ++i) own.got[i] = upper_half(own.exact[i]);

  EXPECT_EQ(single.words(), "truncated : every element truncated to bf16");
  EXPECT_EQ(own.match()->kind, ValueKind::truncated);
}

TEST(ValueMatch, StaleAndInput) {
  const auto other = [](const Tap& from, OtherTensor::Role role, const std::string& name) {
    Tensor tensor(DType::f64, from.shape, from.axes);
    std::copy(from.rounded.begin(), from.rounded.end(), tensor.f64());
    return OtherTensor{role, name, [tensor] { return tensor; }};
  };
  Tap stale, input;
  const Tap elsewhere(DType::bf16, 2);
  stale.others = {other(elsewhere, OtherTensor::Role::recorded, "layers/00/out")};
  input.others = {other(elsewhere, OtherTensor::Role::input, "x")};
  stale.got = elsewhere.rounded;
  input.changed([&](double x, I b, I s, I a, I d) { return s == 2 ? elsewhere.rounded[Tap::at(b, s, a, d)] : x; });

  EXPECT_EQ(stale.words(), "stale : equals layers/00/out");
  EXPECT_EQ(input.words(), "input S: token 2 equals input x");
}

TEST(ValueMatch, Unwritten) {
  Tap nan, poison;
  nan.changed([](double x, I b, I s, I, I) { return b == 1 && s >= 4 ? kNaN : x; });
  poison.changed([](double x, I, I, I a, I) { return a == 0 ? -3.0e38 : x; });

  EXPECT_EQ(nan.words(), "unwritten S: 64 elements not written (NaN): sequence 1, tokens 4..5 (to the end)");
  EXPECT_EQ(poison.match()->kind, ValueKind::unwritten);
}

TEST(ValueMatch, TileTransposed) {
  Tap tap;
  tap.moved([](I b, I s, I a, I d) {
    const bool in = b == 0 && a == 1 && s >= 1 && s < 5 && d >= 2 && d < 6;
    return in ? Tap::at(b, d - 2 + 1, a, s - 1 + 2) : Tap::at(b, s, a, d);
  });

  EXPECT_EQ(tap.match()->kind, ValueKind::transposed);
  EXPECT_EQ(tap.match()->axis, "S,D");
}

/// Ids of 8 experts for 24 tokens, two each.
Tap ids_of_experts() {
  Tap tap;
  tap.dtype = DType::i64;
  tap.axes = "N,T";
  tap.shape = {24, 2};
  tap.sizes = {{'B', 2}, {'S', 12}, {'T', 2}, {'E', 8}};
  const Random random(7, "ids");
  tap.exact.clear();
  for (uint64_t i = 0; i < 48; ++i) tap.exact.push_back(static_cast<double>(random.below(i, 8)));
  tap.rounded = tap.got = tap.exact;
  tap.allowed.assign(48, 0.0);
  return tap;
}

TEST(ValueMatch, IdsUnderOtherNames) {
  Tap last = ids_of_experts(), pair = last, one = last;
  for (double& id : last.got) id = 7.0 - id;
  for (double& id : pair.got) id = id == 2.0 ? 5.0 : id == 5.0 ? 2.0 : id;
  for (double& id : one.got) id += 1.0;

  EXPECT_EQ(last.words(), "reversed E: experts counted from the end");
  EXPECT_EQ(pair.words(), "exchanged E: experts 2 and 5 exchanged");
  EXPECT_EQ(one.match()->kind, ValueKind::offset);
}

TEST(ValueMatch, IdsOneTokenLate) {
  Tap tap = ids_of_experts();
  std::rotate(tap.got.rbegin(), tap.got.rbegin() + 2, tap.got.rend());

  EXPECT_EQ(tap.match()->kind, ValueKind::shifted);
}

/// 40 tokens of 8 channels; from the 20th on zeros, as of padding.
Tap half_of_padding() {
  Tap tap;
  tap.axes = "S,D";
  tap.shape = {40, 8};
  tap.sizes = {{'S', 40}, {'D', 8}};
  for (auto* numbers : {&tap.exact, &tap.rounded, &tap.allowed}) {
    numbers->resize(320);
    std::fill(numbers->begin() + 160, numbers->end(), 0.0);
  }
  tap.got = tap.rounded;
  return tap;
}

TEST(ValueMatch, ManyEqualTokensHideNoShift) {
  Tap early = half_of_padding(), late = early;
  std::copy(early.rounded.begin() + 8, early.rounded.end(), early.got.begin());
  std::copy(late.rounded.begin(), late.rounded.end() - 24, late.got.begin() + 24);
  std::fill(late.got.begin(), late.got.begin() + 24, 0.0);

  EXPECT_EQ(early.words(), "shifted S: one token early, nothing cyclically");
  EXPECT_EQ(late.words(), "shifted S: 3 tokens late cyclically");  // the zeros there are the end's, too
}

TEST(ValueMatch, ManyEqualTokensHideNoExchange) {
  Tap tap = half_of_padding();
  std::swap_ranges(tap.got.begin() + 16, tap.got.begin() + 48, tap.got.begin() + 288);

  EXPECT_EQ(tap.words(), "exchanged S: tokens 2..5 and tokens 36..39 exchanged");
}

TEST(ValueMatch, NoiseHasNoName) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Random random(seed, "noise");
    Tap tap(seed % 2 == 0 ? DType::bf16 : DType::f32, seed);
    for (size_t i = 0; i < tap.got.size(); ++i)
      tap.got[i] = round_to(tap.dtype, tap.exact[i] * (1.0 + 0.1 * random.normal(i)));

    EXPECT_EQ(tap.words(), "") << seed;
  }
}

TEST(ValueMatch, UnrelatedNumbersHaveNoName) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Tap tap(seed % 2 == 0 ? DType::bf16 : DType::f32, seed);
    const Tap other(tap.dtype, seed + 100);
    const bool slice = seed % 3 == 0;
    tap.changed([&](double x, I b, I s, I a, I d) { return slice && a != 1 ? x : other.rounded[Tap::at(b, s, a, d)]; });

    EXPECT_EQ(tap.words(), "") << seed;
  }
}

TEST(ValueMatch, AnotherCorrectRoundingHasNoName) {
  Tap tap;
  const Random random(3, "ties");
  for (size_t i = 0; i < tap.got.size(); ++i)
    tap.got[i] = round_to(tap.dtype, tap.exact[i] * (1.0 + 0x1p-9 * (random.uniform(i) - 0.5)));

  EXPECT_EQ(tap.words(), "");
}

TEST(ValueMatch, OneElementOfManyIsNoPattern) {
  Tap tap;
  tap.got[100] = tap.rounded[37];  // by chance some element has about any value

  const auto match = tap.match();

  EXPECT_FALSE(match && match->kind != ValueKind::permuted) << tap.words();
}

TEST(ValueMatch, RowsThatAreAlikeProveNothing) {
  Tap tap(DType::bf16);
  tap.changed([](double, I, I, I, I) { return 1.0; });
  tap.exact = tap.rounded = tap.got;
  for (double& allowed : tap.allowed) allowed = 0.01;
  tap.got[5] = 1.5;

  EXPECT_EQ(tap.words(), "");
}

}  // namespace
}  // namespace parity::compare
