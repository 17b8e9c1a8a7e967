// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Operands on which nothing rounds: for any type and any order of sums, the result is that of plain integer code. There
// is no tolerance, so neither the bounds nor the rounding tables can hide a mistake.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

/// Integers from -most to most.
class Integers {
 public:
  explicit Integers(const std::string& stream) : random_(7, stream) {}
  int64_t next(int64_t most) {
    return static_cast<int64_t>(random_.below(drawn_++, static_cast<uint64_t>(2 * most + 1))) - most;
  }
  std::vector<int64_t> list(int64_t count, int64_t most) {
    std::vector<int64_t> values(static_cast<size_t>(count));
    for (int64_t& value : values) value = next(most);
    return values;
  }
  /// The numbers 0 to count - 1 in random order.
  std::vector<int64_t> permutation(int64_t count) {
    std::vector<int64_t> values(static_cast<size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    for (int64_t i = count; i > 1; --i)
      std::swap(values[static_cast<size_t>(i - 1)], values[random_.below(drawn_++, static_cast<uint64_t>(i))]);
    return values;
  }

 private:
  Random random_;
  uint64_t drawn_ = 0;
};

std::vector<double> numbers(const std::vector<int64_t>& integers) { return {integers.begin(), integers.end()}; }

/// Calls body(outputs) for the exact evaluation, the bounded one, and one for every type that an oracle rounds to.
template <class Body>
void in_every_lane(const TestCall& call, const Body& body) {
  for (const DType working : {DType::bf16, DType::f16, DType::f32, DType::f64}) {
    SCOPED_TRACE(to_string(working));
    body(call.run("rounded", Rounding::exact(working)));
    body(call.bounded(working));
    body(call.oracle(working));
  }
}

void expect_everywhere(const TestCall& call, const std::string& field, const std::vector<int64_t>& expected) {
  in_every_lane(call, [&](const TestOutputs& out) { EXPECT_EQ(out[field], numbers(expected)); });
}

class ExactLinear : public ::testing::TestWithParam<int64_t> {};

/// Up to 33 products of at most 4 and a bias: the sums are below 256, so bf16 represents them.
TEST_P(ExactLinear, IsTheIntegerProduct) {
  const int64_t rows = 5, inner = GetParam(), columns = 34;
  Integers draw("linear");
  const auto x = draw.list(rows * inner, 2), weight = draw.list(columns * inner, 2), bias = draw.list(columns, 9);
  std::vector<int64_t> expected;
  for (int64_t n = 0; n < rows; ++n) {
    for (int64_t f = 0; f < columns; ++f) {
      int64_t sum = bias[static_cast<size_t>(f)];
      for (int64_t h = 0; h < inner; ++h)
        sum += x[static_cast<size_t>(n * inner + h)] * weight[static_cast<size_t>(f * inner + h)];
      expected.push_back(sum);
    }
  }
  TestCall call("linear");
  call.in("x", {rows, inner}, numbers(x)).in("weight", {columns, inner}, numbers(weight));
  call.in("bias", {columns}, numbers(bias)).out("out", {rows, columns});

  expect_everywhere(call, "out", expected);
}

INSTANTIATE_TEST_SUITE_P(Inner, ExactLinear, ::testing::Values(1, 2, 7, 8, 9, 31, 32, 33));

struct Heads {
  int64_t heads, groups, keys, width;
};

/// Every query has all its weight on one key, its own or an earlier one: scores are 1024 and 0; exp(-1024) is 0.
TEST(ExactAttention, OneHotRowsAreTheirKeysValues) {
  for (const Heads& c : {Heads{1, 1, 1, 1}, Heads{4, 2, 8, 8}, Heads{3, 3, 9, 9}, Heads{2, 1, 33, 33}}) {
    SCOPED_TRACE(c.keys);
    Integers draw("attention");
    std::vector<double> q(static_cast<size_t>(c.heads * c.keys * c.width));
    std::vector<double> k(static_cast<size_t>(c.groups * c.keys * c.width));
    const auto v = draw.list(c.groups * c.keys * c.width, 100);
    std::vector<int64_t> expected(q.size());
    for (int64_t g = 0; g < c.groups; ++g) {
      for (int64_t j = 0; j < c.keys; ++j) k[static_cast<size_t>((g * c.keys + j) * c.width + j)] = 1.0;
    }
    for (int64_t a = 0; a < c.heads; ++a) {
      const int64_t group = a / (c.heads / c.groups);
      for (int64_t s = 0; s < c.keys; ++s) {
        const int64_t target = (draw.next(1000) + 1000) % (s + 1);
        q[static_cast<size_t>((a * c.keys + s) * c.width + target)] = 1024.0;
        for (int64_t d = 0; d < c.width; ++d)
          expected[static_cast<size_t>((s * c.heads + a) * c.width + d)] =
              v[static_cast<size_t>((group * c.keys + target) * c.width + d)];
      }
    }
    for (const bool normalise_first : {true, false}) {
      TestCall call("attention_dense");
      call.in("q", {1, c.heads, c.keys, c.width}, q).in("k", {1, c.groups, c.keys, c.width}, k);
      call.in("v", {1, c.groups, c.keys, c.width}, numbers(v)).param("normalise_first", normalise_first);
      call.out("out", {1, c.keys, c.heads, c.width});
      expect_everywhere(call, "out", expected);
    }
  }
}

/// Scores are equal over 2^n keys: weights are powers of two, and the mean of multiples is an integer.
TEST(ExactAttention, EqualScoresGiveTheMeanOverAPowerOfTwoOfKeys) {
  for (const int64_t keys : {1, 2, 4, 16}) {
    Integers draw("mean");
    auto v = draw.list(keys * 3, 7);
    std::vector<int64_t> expected(3);
    for (int64_t i = 0; i < keys * 3; ++i) expected[static_cast<size_t>(i % 3)] += v[static_cast<size_t>(i)];
    for (int64_t& value : v) value *= keys;
    TestCall call("attention_dense");
    call.in("q", {1, 1, 1, 3}, {0, 0, 0}).in("k", {1, 1, keys, 3}, numbers(draw.list(keys * 3, 7)));
    call.in("v", {1, 1, keys, 3}, numbers(v)).out("out", {1, 1, 1, 3});

    expect_everywhere(call, "out", expected);
  }
}

TEST(ExactMoeCombine, IsTheScaledIntegerSum) {
  Integers draw("combine");
  const auto routed = draw.list(5 * 33, 60), shared = draw.list(5 * 33, 60);
  std::vector<int64_t> expected;
  for (size_t i = 0; i < routed.size(); ++i) expected.push_back(2 * routed[i] + shared[i]);
  TestCall call("moe_combine");
  call.in("routed", {5, 33}, numbers(routed)).in("shared", {5, 33}, numbers(shared)).param("scaling", 2.0);
  call.out("out", {5, 33});

  expect_everywhere(call, "out", expected);
}

/// Logits of 0 make every score 1/2, so only the bias, a permutation of whole numbers, decides.
TEST(ExactRouter, TakesTheLargestBiasesAndWeighsThemAlike) {
  for (const int64_t experts : {4, 31, 32, 33}) {
    Integers draw("router");
    const auto bias = draw.permutation(experts);
    std::vector<int64_t> order(static_cast<size_t>(experts));
    for (int64_t e = 0; e < experts; ++e)
      order[static_cast<size_t>(experts - 1 - bias[static_cast<size_t>(e)])] = e;  // the inverse, largest first
    TestCall call("router");
    call.in("logits", {1, experts}, std::vector<double>(static_cast<size_t>(experts))).param("top_k", int64_t{4});
    call.in("bias", {experts}, numbers(bias)).out("scores", {1, experts}).out("choice", {1, experts});
    call.out("indices", {1, 4}).out("weights", {1, 4});

    in_every_lane(call, [&](const TestOutputs& out) {
      EXPECT_EQ(out.ids("indices"), std::vector<int64_t>(order.begin(), order.begin() + 4));
      EXPECT_EQ(out["weights"], std::vector<double>(4, 0.25));
    });
  }
}

/// The query's own block is first, then the others by score; slots after the query have scores below all others.
TEST(ExactIndexSelect, TakesTheOwnBlockAndTheLargestScores) {
  constexpr int64_t kSize = 4, kMost = 3;
  for (const int64_t blocks : {1, 2, 3, 9, 33}) {
    Integers draw("select");
    const auto scores = draw.permutation(blocks);
    for (int64_t position = 0; position < blocks * kSize; position += 3) {
      const int64_t own = position / kSize;
      std::vector<int64_t> order(static_cast<size_t>(blocks));
      std::iota(order.begin(), order.end(), 0);
      const auto rank = [&](int64_t n) { return n == own ? blocks : scores[static_cast<size_t>(n)]; };
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return rank(a) > rank(b); });
      order.resize(static_cast<size_t>(std::min(kMost, blocks)));
      TestCall call("index_select");
      call.in("block_scores", {1, 1, blocks}, numbers(scores)).ids("positions", {1, 1}, {position});
      call.param("block_size", kSize).param("top_k", kMost).param("local_blocks", int64_t{1});
      call.out("blocks", {1, 1, std::min(kMost, blocks)});

      in_every_lane(call, [&](const TestOutputs& out) { EXPECT_EQ(out.ids("blocks"), order) << position; });
    }
  }
}

/// Quarter turns keep every pair of channels on the integer lattice.
TEST(ExactRope, QuarterTurnsMoveIntegersAlongTheLattice) {
  constexpr int64_t kHeads = 2, kTokens = 9, kWidth = 6, kRotary = 4, kHalf = kRotary / 2;
  constexpr std::array<int64_t, 4> kCos{1, 0, -1, 0}, kSin{0, 1, 0, -1};
  Integers draw("rope");
  const auto x = draw.list(kHeads * kTokens * kWidth, 100);
  std::vector<int64_t> cos, sin, expected = x;
  const auto turn = [](int64_t s, int64_t pair) { return static_cast<size_t>((s * (pair + 1)) % 4); };
  for (int64_t s = 0; s < kTokens; ++s) {
    for (int64_t r = 0; r < kRotary; ++r) {
      cos.push_back(kCos[turn(s, r % kHalf)]);
      sin.push_back(kSin[turn(s, r % kHalf)]);
    }
  }
  for (int64_t row = 0; row < kHeads * kTokens; ++row) {
    for (int64_t pair = 0; pair < kHalf; ++pair) {
      const auto first = static_cast<size_t>(row * kWidth + pair), second = first + kHalf;
      for (size_t left = turn(row % kTokens, pair); left > 0; --left) {  // (a, b) -> (-b, a)
        expected[first] = std::exchange(expected[second], expected[first]);
        expected[first] = -expected[first];
      }
    }
  }
  TestCall call("partial_rope");
  call.in("x", {1, kHeads, kTokens, kWidth}, numbers(x));
  call.in("cos", {1, kTokens, kRotary}, numbers(cos)).in("sin", {1, kTokens, kRotary}, numbers(sin));
  call.out("out", {1, kHeads, kTokens, kWidth});

  expect_everywhere(call, "out", expected);
}

}  // namespace
}  // namespace parity::reference
