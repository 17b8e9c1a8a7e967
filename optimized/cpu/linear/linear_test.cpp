// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "optimized/cpu/linear/linear_call.hpp"
#include "optimized/testing/levels.hpp"

namespace parity::cpu {
namespace {

template <class T>
std::vector<T> drawn(int64_t count, uint64_t seed) {
  const Random random(seed, "linear");
  std::vector<T> x(static_cast<size_t>(count));
  for (size_t i = 0; i < x.size(); ++i)
    store_element(kDTypeOf<T>, reinterpret_cast<std::byte*>(&x[i]), random.normal(i));
  return x;
}
template <class T>
double number(const T& x) {
  return load_element(kDTypeOf<T>, reinterpret_cast<const std::byte*>(&x));
}

template <class T>
class LinearPanels : public ::testing::Test {};
using Types = ::testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(LinearPanels, Types);

/// Sizes around tiles and panels, with rows that no block divides and widths of several chunks, give the plain sums.
TYPED_TEST(LinearPanels, AreThePlainSums) {
  struct Size {
    int64_t tokens, rows, width;
  };
  for (const Size& size :
       {Size{66, 32, 32}, {130, 128, 300}, {193, 35, 260}, {69, 7, 129}, {517, 33, 140}, {64, 131, 5}}) {
    const auto x = drawn<TypeParam>(size.tokens * size.width, 1), w = drawn<TypeParam>(size.rows * size.width, 2);
    at_every_level([&] {
      std::vector<TypeParam> out(static_cast<size_t>(size.tokens * size.rows));
      PlaceWorkspace workspace;
      LinearCall<TypeParam> call({const_cast<TypeParam*>(x.data()), {size.tokens, size.width}, {size.width, 1}},
                                 {out.data(), {size.tokens, size.rows}, {size.rows, 1}}, nullptr, workspace);
      call.run(call.piece(), [&](int64_t first, int64_t, int) { return w.data() + first * size.width; });
      for (int64_t n = 0; n < size.tokens; ++n) {
        for (int64_t f = 0; f < size.rows; ++f) {
          double sum = 0.0, scale = 0.0;
          for (int64_t i = 0; i < size.width; ++i) {
            const double product =
                number(x[static_cast<size_t>(n * size.width + i)]) * number(w[static_cast<size_t>(f * size.width + i)]);
            sum += product;
            scale += std::abs(product);
          }
          const double bound = scale * 1e-5 + (sizeof(TypeParam) == 2 ? std::abs(sum) * 0x1p-8 : 0.0);
          ASSERT_NEAR(number(out[static_cast<size_t>(n * size.rows + f)]), sum, bound)
              << "token " << n << " row " << f << " of " << size.tokens << "x" << size.rows;
        }
      }
    });
  }
}

/// A rank may hold no channel: its products are none, and the sums of none are zero, or the bias.
TYPED_TEST(LinearPanels, OfNoChannelAreZeroOrTheBias) {
  constexpr int64_t kTokens = 70, kRows = 33;
  const std::vector<TypeParam> nothing;
  const auto bias = drawn<float>(kRows, 3);
  at_every_level([&] {
    for (const float* added : {static_cast<const float*>(nullptr), bias.data()}) {
      auto out = drawn<TypeParam>(kTokens * kRows, 4);
      PlaceWorkspace workspace;
      LinearCall<TypeParam> call({const_cast<TypeParam*>(nothing.data()), {kTokens, 0}, {0, 1}},
                                 {out.data(), {kTokens, kRows}, {kRows, 1}}, added, workspace);
      call.run(call.piece(), [&](int64_t, int64_t, int) { return nothing.data(); });
      for (int64_t i = 0; i < kTokens * kRows; ++i) {
        const double sum = added == nullptr ? 0.0 : round_to(kDTypeOf<TypeParam>, added[i % kRows]);
        ASSERT_EQ(number(out[static_cast<size_t>(i)]), sum);
      }
    }
  });
}

}  // namespace
}  // namespace parity::cpu
