// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/condition.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace parity::cases {
namespace {

bool holds(const std::string& text) {
  return Condition(text).holds([](const std::string& name) { return name == "H" ? 24 : 7; });
}

TEST(Condition, ComparesExpressions) {
  EXPECT_TRUE(holds("H % 8 == 0"));
  EXPECT_FALSE(holds("N % 8 == 0"));
  EXPECT_TRUE(holds("H!=N"));
  EXPECT_TRUE(holds("N < H") && holds("N <= 7") && holds("H > N") && holds(" H >= 24 "));
  EXPECT_FALSE(holds("N < 7") || holds("H <= N") || holds("N > H") || holds("N >= 8"));
}

TEST(Condition, NamesItsNumbers) {
  EXPECT_EQ(Condition("H % 8 == 0").numbers(), (std::vector<int64_t>{0, 8}));
  EXPECT_EQ(Condition("x.stride[1] == H").numbers(), std::vector<int64_t>{});
}

TEST(Condition, RefusesOtherTexts) {
  for (const char* text : {"", "H", "H = 8", "H == ", "== 8", "H === 8", "H == 8 == 8", "H <> 8"})
    EXPECT_THROW(Condition{text}, Error) << text;
}

}  // namespace
}  // namespace parity::cases
