// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Renamed or misplaced ids, and taps in which many tokens are equal.
#include <algorithm>

#include <gtest/gtest.h>

#include "compare/testing/tap_values.hpp"

namespace parity::compare {
namespace {

using tests::I;
using tests::Tap;

/// Returns ids of 8 experts for 24 tokens, two per token.
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

/// Returns 40 tokens of 8 channels, of which those from the 20th on are zero, like padding.
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

  EXPECT_EQ(early.words(), "shifted S: one token early (no wraparound)");
  EXPECT_EQ(late.words(), "shifted S: 3 tokens late (with wraparound)");  // the zeros at the start are those of the end
}

TEST(ValueMatch, ManyEqualTokensHideNoExchange) {
  Tap tap = half_of_padding();
  std::swap_ranges(tap.got.begin() + 16, tap.got.begin() + 48, tap.got.begin() + 288);

  EXPECT_EQ(tap.words(), "exchanged S: tokens 2..5 and tokens 36..39 exchanged");
}

}  // namespace
}  // namespace parity::compare
