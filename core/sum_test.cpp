// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sums: rounded once for any length, and bounded for every order of accumulation.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "core/rounding.hpp"

namespace parity {
namespace {

const Round kBf16{Precision::working, DType::bf16, true};
const Round kSingle{Precision::single, DType::bf16, true};
const Round kSingleExact{Precision::single, DType::bf16, false};

TEST(Sum, RoundsOnceAtTheEnd) {
  Sum<double> sum(kBf16);
  for (int i = 0; i < 300; ++i) sum.add(1.0);

  EXPECT_EQ(sum.value(), 300.0);  // accumulated in bf16, 256 + 1 would stay 256
}

TEST(Sum, RoundsAtItsPoint) {
  Sum<double> sum(kBf16);
  sum.add_product(16.0, 16.0);
  sum.add(1.0);

  EXPECT_EQ(sum.value(), 256.0);  // 257: a tie between 256 and 258
}

TEST(Sum, OfNothingIsZero) {
  EXPECT_EQ(Sum<double>(kSingle).value(), 0.0);
  EXPECT_EQ(Sum<Bounded>(kSingle).value().error(), 0.0);
}

TEST(Sum, TakesProductsThatWereAddedUpElsewhere) {
  Sum<double> sum(kBf16);
  sum.add_products(256.0, 1000.0, 3);
  sum.add(1.0);

  EXPECT_EQ(sum.value(), 256.0);  // rounded with the rest, once
}

TEST(SumOfBounded, ProductsAddedUpElsewhereCountLikeItsOwn) {
  Sum<Bounded> one_by_one(kSingleExact), together(kSingleExact);
  one_by_one.add_product(2.0, 3.0);
  one_by_one.add_product(-1.0, 4.0);
  together.add_products(2.0, 10.0, 2);

  EXPECT_EQ(together.value().value, one_by_one.value().value);
  EXPECT_EQ(together.value().noise, one_by_one.value().noise);
}

TEST(SumOfBounded, AddsTheErrorsOfTheTermsAndOfTheirAccumulation) {
  Sum<Bounded> sum(kSingleExact);
  sum.add(Bounded(3.0, 0.5, 0.0));
  sum.add(Bounded(-1.0, 0.25, 0.125));

  EXPECT_EQ(sum.value().value, 2.0);
  EXPECT_EQ(sum.value().rounding, 0.75);
  EXPECT_EQ(sum.value().noise, 0.125 + 2.0 * 0x1p-24 * 4.0);  // gamma(2) u (|3| + |-1|)
}

TEST(SumOfBounded, ProductsAreExactTerms) {
  Sum<Bounded> sum(kSingleExact);
  sum.add_product(3.0, -5.0);

  EXPECT_EQ(sum.value().value, -15.0);
  EXPECT_EQ(sum.value().rounding, 0.0);
  EXPECT_EQ(sum.value().noise, 0x1p-24 * 15.0);
}

/// Shuffles the terms with numbers `first`, first + 1, … of `random`.
void shuffle(std::vector<float>& terms, const Random& random, uint64_t first) {
  for (size_t i = terms.size(); i > 1; --i) std::swap(terms[i - 1], terms[random.below(first + i, i)]);
}

float one_after_the_other(const std::vector<float>& terms) { return std::accumulate(terms.begin(), terms.end(), 0.0F); }

float in_pairs(std::vector<float> terms) {
  for (; terms.size() > 1; terms.resize((terms.size() + 1) / 2)) {
    for (size_t i = 0; i < terms.size() / 2; ++i) terms[i] = terms[2 * i] + terms[2 * i + 1];
    if (terms.size() % 2 == 1) terms[terms.size() / 2] = terms.back();
  }
  return terms.empty() ? 0.0F : terms.front();
}

float in_lanes(const std::vector<float>& terms) {  // eight partial sums, as in a vector unit
  std::vector<float> lanes(8, 0.0F);
  for (size_t i = 0; i < terms.size(); ++i) lanes[i % 8] += terms[i];
  return one_after_the_other(lanes);
}

TEST(SumOfBounded, HoldsForAnyOrderOfBinary32Accumulation) {
  double largest = 0.0;
  for (uint64_t trial = 0; trial < 400; ++trial) {
    const Random random(trial, "orders");
    const uint64_t count = 1 + random.below(0, trial % 2 == 0 ? 36 : 2000);  // the linear and the root part of gamma
    const bool cancels = trial % 3 == 0;
    Sum<Bounded> sum(kSingleExact);
    std::vector<float> terms;
    double exact = 0.0;  // binary64: 29 more bits than the sums under test
    for (uint64_t i = 0; i < count; ++i) {
      const double scale = std::exp2(static_cast<double>(random.below(10 + 2 * i, 20)));
      terms.push_back(static_cast<float>((random.uniform(11 + 2 * i) - (cancels ? 0.5 : 0.0)) * scale));
      sum.add(Bounded(static_cast<double>(terms.back())));
      exact += static_cast<double>(terms.back());
    }
    const double bound = sum.value().noise;
    for (uint64_t order = 0; order < 5; ++order) {
      shuffle(terms, random, 10000 * (order + 1));
      if (order == 4) std::sort(terms.begin(), terms.end());
      for (const float got : {one_after_the_other(terms), in_pairs(terms), in_lanes(terms)}) {
        ASSERT_LE(std::abs(static_cast<double>(got) - exact), bound) << "trial " << trial << ", " << count << " terms";
        if (bound > 0.0) largest = std::max(largest, std::abs(static_cast<double>(got) - exact) / bound);
      }
    }
  }

  EXPECT_GT(largest, 0.1);  // the orders gave different sums
}

}  // namespace
}  // namespace parity
