// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Correct values at wrong positions.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "compare/testing/tap_values.hpp"

namespace parity::compare {
namespace {

using tests::I;
using tests::Tap;

TEST(ValueMatch, OneTokenLate) {
  Tap kept, zeros, turned;
  kept.moved([](I b, I s, I a, I d) { return Tap::at(b, std::max<I>(s - 1, 0), a, d); });
  zeros.changed([&](double, I b, I s, I a, I d) { return s == 0 ? 0.0 : zeros.rounded[Tap::at(b, s - 1, a, d)]; });
  turned.moved([](I b, I s, I a, I d) { return Tap::at(b, (s + Tap::S - 1) % Tap::S, a, d); });

  EXPECT_EQ(kept.words(), "shifted S: one token late (no wraparound)");
  EXPECT_EQ(zeros.words(), "shifted S: one token late (no wraparound)");
  EXPECT_EQ(turned.words(), "shifted S: one token late (with wraparound)");
}

TEST(ValueMatch, OneTokenLateInOneHeadOfOneSequence) {
  Tap tap;
  tap.moved([](I b, I s, I a, I d) { return Tap::at(b, a == 1 && b == 0 ? (s + Tap::S - 1) % Tap::S : s, a, d); });

  EXPECT_EQ(tap.words(), "shifted S: one token late (with wraparound) in sequence 0, head 1");
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

TEST(ValueMatch, TileTransposed) {
  Tap tap;
  tap.moved([](I b, I s, I a, I d) {
    const bool in = b == 0 && a == 1 && s >= 1 && s < 5 && d >= 2 && d < 6;
    return in ? Tap::at(b, d - 2 + 1, a, s - 1 + 2) : Tap::at(b, s, a, d);
  });

  EXPECT_EQ(tap.match()->kind, ValueKind::transposed);
  EXPECT_EQ(tap.match()->axis, "S,D");
}

}  // namespace
}  // namespace parity::compare
