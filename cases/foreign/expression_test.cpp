// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Integer expressions of bindings: their values, and what is refused.
#include "cases/foreign/expression.hpp"

#include <gmock/gmock.h>

#include "core/testing/refusal.hpp"

namespace parity::cases {
namespace {

int64_t value(const std::string& text) {
  return IntegerExpression(text).value([](const std::string& name) { return name == "N" ? 7 : 3; });
}

TEST(IntegerExpression, JoinsNumbersAndNames) {
  EXPECT_EQ(value("4*H"), 12);
  EXPECT_EQ(value("1 + 2 * N - x.stride[0]"), 12);
  EXPECT_EQ(value("(1 + 2) * N / 2"), 10);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
}

TEST(IntegerExpression, HasRemainders) {
  EXPECT_EQ(value("N % 4"), 3);
  EXPECT_EQ(value("1 + 2 * N % 4"), 3);
  EXPECT_THROW(value("N % (H - 3)"), Error);
}

TEST(IntegerExpression, HasFunctions) {
  EXPECT_EQ(value("ceil_div(N, H)"), 3);
  EXPECT_EQ(value("ceil_div(6, H)"), 2);
  EXPECT_EQ(value("min(N, H) * 100 + max(N, H)"), 307);
}

TEST(IntegerExpression, NamesWhatItNeeds) {
  EXPECT_EQ(IntegerExpression("max(N, H) + x.stride[1]").names(), (std::vector<std::string>{"N", "H", "x.stride[1]"}));
}

TEST(IntegerExpression, RefusesOtherTextAndSaysWhere) {
  using ::testing::HasSubstr;
  const auto refusal = [](const std::string& text) {
    return refusal_of(ErrorCode::usage, [&] { return value(text); });
  };

  EXPECT_THAT(refusal(""), HasSubstr("a number, a name or '(' is expected at character 1"));
  EXPECT_THAT(refusal("4*"), HasSubstr("expected at character 3"));
  EXPECT_THAT(refusal("N H"), HasSubstr("an operator or the end is expected at character 3"));
  EXPECT_THAT(refusal("(N"), HasSubstr("')' is expected"));
  EXPECT_THAT(refusal("min(N)"), HasSubstr("',' is expected"));
  EXPECT_THAT(refusal("sqrt(N)"), HasSubstr("no function sqrt; allowed are whole numbers"));
  EXPECT_THAT(refusal("99999999999999999999"), HasSubstr("a number below 2^63"));
  EXPECT_THAT(refusal(std::string(1000, '(')), HasSubstr("nested deeper than 32"));
}

TEST(IntegerExpression, RefusesValuesThatDoNotExist) {
  using ::testing::HasSubstr;
  const auto refusal = [](const std::string& text) {
    return refusal_of(ErrorCode::usage, [&] { return value(text); });
  };

  EXPECT_THAT(refusal("1 / (H - 3)"), HasSubstr("divides by 0"));
  EXPECT_THAT(refusal("9223372036854775807 + 1"), HasSubstr("exceeds 64 bits"));
  EXPECT_THAT(refusal("4611686018427387904 * 2"), HasSubstr("exceeds 64 bits"));
}

}  // namespace
}  // namespace parity::cases
