// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/components/lightning/lightning_attention.hpp"
#include "core/plan.hpp"
#include "core/random.hpp"
#include "optimized/registry.hpp"
#include "optimized/testing/levels.hpp"

namespace parity::optimized {
namespace {

using cpu::at_every_level;

/// The operands of a call, with decays of slopes 2^-(a + 1).
struct Call {
  DType type = DType::f32;
  AxisSizes sizes{};
  bool past = false;
  Tensor q{}, k{}, v{}, state{}, slope{}, query{}, key{}, diagonal{};

  Tensor filled(const char* axes, const std::function<double(int64_t)>& value) const {
    const Tensor x(type, shape_of(axes, sizes));
    for (int64_t i = 0; i < x.view().count(); ++i) store_element(type, x.view().data + i * size_of(type), value(i));
    return x;
  }
  void draw(uint64_t seed) {
    const Random random(seed, "lightning");
    uint64_t next = 0;
    const auto normal = [&](int64_t) { return random.normal(next++); };
    for (Tensor* x : {&q, &k, &v}) *x = filled("B,A,S,D", normal);
    state = filled("B,A,D,D", normal);
    const int64_t size = sizes.at('Q');
    const auto decay = [](int64_t a, int64_t n) {
      return n < 0 ? 0.0 : std::exp(-std::exp2(-(a + 1)) * static_cast<double>(n));
    };
    slope = filled("A,1,1", [](int64_t a) { return std::exp2(-(a + 1)); });
    query = filled("A,Q,1", [&](int64_t i) { return decay(i / size, i % size + 1); });
    key = filled("A,Q,1", [&](int64_t i) { return decay(i / size, size - i % size - 1); });
    diagonal = filled("1,A,Q,Q", [&](int64_t i) { return decay(i / (size * size), i / size % size - i % size); });
  }

  /// Returns the output, then the state after the call.
  std::vector<Tensor> run() const {
    const auto ask = [](const Tensor& x) { return Argument{{x.view()}, nullptr}; };
    const std::vector<Tensor> results{Tensor::unwritten(type, shape_of("B,A,S,D", sizes)),
                                      Tensor::unwritten(type, shape_of("B,A,D,D", sizes))};
    for (const Tensor& x : results) std::memset(x.view().data, 0x7F, static_cast<size_t>(x.bytes()));
    Context context;
    registry()
        .kernel("lightning_attention", "cpu", to_string(type))
        .run({ask(q), ask(k), ask(v), past ? ask(state) : Argument{}, ask(slope), ask(query), ask(key), ask(diagonal)},
             {}, {{}, {}, ask(results[0]), {}, ask(results[1])}, context);
    return results;
  }
};

bool same_bits(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

class Lightning : public ::testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, Lightning, ::testing::Values(DType::f32, DType::bf16),
                         [](const auto& test) { return std::string(to_string(test.param)); });

/// Three threads divide a single head, and compute five heads one by one.
TEST_P(Lightning, HasTheSameBitsForAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  for (const int64_t heads : {1, 5}) {
    for (const bool past : {false, true}) {
      Call call{GetParam(), {{'B', 1}, {'A', heads}, {'S', past ? 3 : 300}, {'D', 80}, {'Q', 128}}, past};
      call.draw(1);
      at_every_level([&] {
        omp_set_num_threads(1);
        const auto alone = call.run();
        for (const int threads : {2, 3}) {
          omp_set_num_threads(threads);
          const auto several = call.run();
          EXPECT_TRUE(same_bits(several[0], alone[0])) << heads << " heads, " << threads << " threads, past " << past;
          EXPECT_TRUE(same_bits(several[1], alone[1])) << heads << " heads, " << threads << " threads, past " << past;
        }
      });
    }
  }
  omp_set_num_threads(before);
}

/// Blocks give the recurrence state = decay state + k^T v, out = q state, computed token by token in binary64.
TEST_P(Lightning, BlocksAreTheRecurrence) {
  constexpr int64_t kHeads = 2, kTokens = 150, kWidth = 33;
  Call call{GetParam(), {{'B', 1}, {'A', kHeads}, {'S', kTokens}, {'D', kWidth}, {'Q', 64}}};
  call.draw(2);
  std::vector<double> expected;
  for (int64_t a = 0; a < kHeads; ++a) {
    std::vector<double> state(kWidth * kWidth);
    for (int64_t s = 0; s < kTokens; ++s) {
      const int64_t at = (a * kTokens + s) * kWidth;
      for (int64_t e = 0; e < kWidth; ++e) {
        double sum = 0.0;
        for (int64_t d = 0; d < kWidth; ++d) {
          double& cell = state[static_cast<size_t>(d * kWidth + e)];
          cell = std::exp(-std::exp2(-(a + 1))) * cell + call.k.view().value(at + d) * call.v.view().value(at + e);
          sum += call.q.view().value(at + d) * cell;
        }
        expected.push_back(sum);
      }
    }
  }
  at_every_level([&] {
    const auto got = call.run();
    const double scale = GetParam() == DType::f32 ? 1e-5 : 0.05;  // sums of 33 and more products of about 1
    for (int64_t i = 0; i < kHeads * kTokens * kWidth; ++i)
      ASSERT_NEAR(got[0].view().value(i), expected[static_cast<size_t>(i)],
                  scale * (10.0 + std::abs(expected[static_cast<size_t>(i)])))
          << i;
  });
}

/// A later token of the block is multiplied by a decay of zero, and zero times infinity is NaN.
TEST_P(Lightning, InfinitiesReachTheirWholeBlockAndWhatFollows) {
  constexpr int64_t kTokens = 96, kWidth = 16;
  Call call{GetParam(), {{'B', 1}, {'A', 1}, {'S', kTokens}, {'D', kWidth}, {'Q', 32}}};
  call.draw(3);
  store_element(call.type, call.v.view().data + (40 * kWidth + 5) * size_of(call.type),
                std::numeric_limits<double>::infinity());
  at_every_level([&] {
    const auto got = call.run();
    for (int64_t i = 0; i < kTokens * kWidth; ++i) {
      const bool reached = i / kWidth >= 32 && i % kWidth == 5;
      ASSERT_EQ(std::isfinite(got[0].view().value(i)), !reached) << i / kWidth << " " << i % kWidth;
    }
  });
}

/// Channels after an odd width are padding: zero times an infinite decay must not become NaN there.
TEST_P(Lightning, InfiniteDecaysOfQueriesGiveInfinities) {
  constexpr int64_t kTokens = 70, kWidth = 7, kBlock = 32;
  Call call{GetParam(), {{'B', 1}, {'A', 1}, {'S', kTokens}, {'D', kWidth}, {'Q', kBlock}}};
  call.draw(5);
  for (Tensor* x : {&call.q, &call.k, &call.v}) *x = call.filled("B,A,S,D", [](int64_t) { return 1.0; });
  call.query = call.filled("A,Q,1", [](int64_t i) { return i == 3 ? std::numeric_limits<double>::infinity() : 0.5; });
  at_every_level([&] {
    const auto got = call.run();
    for (int64_t i = kBlock * kWidth; i < kTokens * kWidth; ++i) {  // after the first block, whose state is zero
      const double x = got[0].view().value(i);
      ASSERT_TRUE(i / kWidth % kBlock == 3 ? x == std::numeric_limits<double>::infinity() : std::isfinite(x))
          << x << " for token " << i / kWidth;
    }
  });
}

/// Decays below the smallest normal number contribute to the output like all others.
TEST_P(Lightning, TinyDecaysOfLoneValuesArePutOut) {
  constexpr int64_t kTokens = 128, kWidth = 16;
  Call call{GetParam(), {{'B', 1}, {'A', 1}, {'S', kTokens}, {'D', kWidth}, {'Q', 128}}};
  call.draw(4);
  for (Tensor* x : {&call.q, &call.k, &call.v}) *x = call.filled("B,A,S,D", [](int64_t) { return 1.0; });
  call.v = call.filled("B,A,S,D", [](int64_t i) { return i < kWidth ? 1024.0 : 0.0; });
  const double decay = 0x1p-128;
  call.diagonal = call.filled("1,A,Q,Q", [&](int64_t i) { return i % 128 <= i / 128 ? decay : 0.0; });
  at_every_level([&] {
    const auto got = call.run();
    for (int64_t i = 0; i < kTokens * kWidth; ++i) ASSERT_EQ(got[0].view().value(i), 16.0 * 1024.0 * decay) << i;
  });
}

}  // namespace
}  // namespace parity::optimized
