// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Returned terms of experts by hand.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNotSent = std::numeric_limits<double>::quiet_NaN();

TEST(Combine, AddsTheTermsOfRanksThatHaveAnExpertAndReadsNoOthers) {
  TestCall call("combine");  // three ranks with two experts each; the rank has tokens 1 and 2 of three
  call.in("parts", {3, 1}, {kNotSent, 1, kNotSent}).in("parts", {3, 1}, {kNotSent, 10, kNotSent});
  call.in("parts", {3, 1}, {kNotSent, kNotSent, 100}).ids("indices", {3, 2}, {0, 1, 3, 0, 5, 4});
  call.param("first_row", int64_t{1}).param("count", int64_t{2}).out("out", {2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(11, 100));  // ranks 1 and 0; both experts of token 2 are of rank 2
}

TEST(Combine, AddsInBinary32AndRoundsOnce) {
  TestCall call("combine");
  for (const double part : {256.0, 1.0, 1.0}) call.in("parts", {1, 1}, {part});
  call.ids("indices", {1, 3}, {2, 1, 0}).param("count", int64_t{1}).out("out", {1, 1});

  EXPECT_EQ(call.oracle(DType::bf16).only("out"), 258);  // rounded to bf16 in between, 256 + 1 is 256
}

TEST(Combine, AddsInAscendingOrderOfRanksWhateverTheOrderOfSlots) {
  TestCall call("combine");  // 2^24 + 1 is 2^24 in binary32; 1 + 1 first would give 2^24 + 2
  for (const double part : {0x1p24, 1.0, 1.0}) call.in("parts", {1, 1}, {part});
  call.ids("indices", {1, 3}, {2, 1, 0}).param("count", int64_t{1}).out("out", {1, 1});

  EXPECT_EQ(call.oracle(DType::f32).only("out"), 0x1p24);
}

TEST(Combine, AnExpertThatNoRankHasAddsNothing) {
  TestCall call("combine");
  call.in("parts", {1, 1}, {kNotSent}).ids("indices", {1, 1}, {7}).param("count", int64_t{2}).out("out", {1, 1});

  EXPECT_EQ(call.exact().only("out"), 0.0);
}

TEST(Combine, RefusesRowsThatNoPartHas) {
  TestCall call("combine");
  call.in("parts", {1, 1}, {1}).ids("indices", {1, 1}, {0}).param("first_row", int64_t{1}).out("out", {1, 1});
  ErrorCode code{};

  EXPECT_THAT(error_of(code, [&] { static_cast<void>(call.exact()); }),
              HasSubstr("rows 1 to 2 are outside of the 1 tokens"));
}

}  // namespace
}  // namespace parity::reference
