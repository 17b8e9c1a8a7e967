// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counter-based random numbers: published vectors, and independence of the order of drawing.
#include "core/random.hpp"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace parity {
namespace {

TEST(Random, DrawsTheKnownAnswersOfPhilox4x32) {
  // Known-answer vectors of Random123 (kat_vectors, philox4x32 10); of the four words a draw is word 1 : word 0.
  // counter 0, key 0                     -> 6627e8d5 e169c58d bc57ac4c 9b00dbd8
  EXPECT_EQ(Random(0, uint64_t{0}).bits(0), 0xe169c58d6627e8d5ULL);
  // counter ffffffff x 4, key likewise   -> 408f276d 41c83b0e a20bc7c6 6d5451fd
  EXPECT_EQ(Random(~uint64_t{0}, ~uint64_t{0}).bits(~uint64_t{0}), 0x41c83b0e408f276dULL);
  // counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0 -> d16cfe09 94fdcceb 5001e420 24126ea1
  EXPECT_EQ(Random(0x299f31d0a4093822ULL, uint64_t{0x0370734413198a2e}).bits(0x85a308d3243f6a88ULL),
            0x94fdccebd16cfe09ULL);
}

TEST(Random, DependsOnSeedStreamAndIndexOnly) {
  const Random random(7, "weights/layers.0");
  std::vector<uint64_t> forwards;
  std::vector<uint64_t> backwards(100);
  for (uint64_t i = 0; i < 100; ++i) forwards.push_back(random.bits(i));
  for (uint64_t i = 100; i-- > 0;) backwards[i] = Random(7, "weights/layers.0").bits(i);

  EXPECT_EQ(forwards, backwards);
}

TEST(Random, SeedsStreamsAndIndicesAreAllDistinct) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint64_t stream = 0; stream < 10; ++stream) {
      for (uint64_t index = 0; index < 10; ++index) seen.insert(Random(seed, stream).bits(index));
    }
  }

  EXPECT_EQ(seen.size(), 1000U);  // a repeat by chance: 1000^2 / 2^65
}

TEST(Random, UpperHalvesOfSeedStreamAndIndexCount) {
  constexpr uint64_t kHigh = uint64_t{1} << 40;
  const uint64_t low = Random(1, uint64_t{2}).bits(3);

  EXPECT_NE(Random(1 + kHigh, uint64_t{2}).bits(3), low);
  EXPECT_NE(Random(1, uint64_t{2} + kHigh).bits(3), low);
  EXPECT_NE(Random(1, uint64_t{2}).bits(3 + kHigh), low);
}

TEST(Random, NamedStreamsAreFnv1aOfTheName) {
  // Published 64-bit FNV-1a: "" -> cbf29ce484222325, "a" -> af63dc4c8601ec8c, "foobar" -> 85944171f73967e8.
  EXPECT_EQ(Random(5, "").bits(1), Random(5, uint64_t{0xcbf29ce484222325}).bits(1));
  EXPECT_EQ(Random(5, "a").bits(1), Random(5, uint64_t{0xaf63dc4c8601ec8c}).bits(1));
  EXPECT_EQ(Random(5, "foobar").bits(1), Random(5, uint64_t{0x85944171f73967e8}).bits(1));
}

TEST(Random, UniformIsTheTop53BitsInTheUnitInterval) {
  const Random random(11, "uniform");
  double sum = 0.0;
  for (uint64_t i = 0; i < 100000; ++i) {
    const double x = random.uniform(i);
    ASSERT_EQ(x * 0x1p53, static_cast<double>(random.bits(i) >> 11));
    ASSERT_LT(x, 1.0);
    sum += x;
  }

  EXPECT_NEAR(sum / 1e5, 0.5, 5.0 * std::sqrt(1.0 / 12.0 / 1e5));  // five standard deviations of the mean
}

TEST(Random, NormalHasTheMomentsOfTheStandardNormal) {
  const Random random(12, "normal");
  constexpr double kDraws = 100000;
  double sum = 0.0;
  double squares = 0.0;
  double fourths = 0.0;
  for (uint64_t i = 0; i < static_cast<uint64_t>(kDraws); ++i) {
    const double x = random.normal(i);
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
  }

  // Five standard deviations: var(x) = 1, var(x^2) = 2, var(x^4) = E x^8 - 9 = 96.
  EXPECT_NEAR(sum / kDraws, 0.0, 5.0 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0, 5.0 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourths / kDraws, 3.0, 5.0 * std::sqrt(96.0 / kDraws));
}

TEST(Random, NormalIsBoxMullerOfTwoCountersOfItsOwn) {
  const Random random(13, "normal");
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform(8)));

  EXPECT_EQ(random.normal(4), radius * std::cos(2.0 * M_PI * random.uniform(9)));
}

TEST(Random, BelowReachesEveryNumberUnderTheLimitAndNoOther) {
  const Random random(14, "below");
  std::set<uint64_t> seen;
  for (uint64_t i = 0; i < 1000; ++i) seen.insert(random.below(i, 7));

  EXPECT_EQ(seen, (std::set<uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace parity
