// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Errors carry a code and the chain of what each layer was doing.
#include "core/error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace parity {
namespace {

TEST(Error, CheckThrowsOnlyWhenTheConditionFails) {
  const auto require_even = [](int x) { PARITY_CHECK(x % 2 == 0, usage, "{} is odd; give an even number", x); };

  EXPECT_NO_THROW(require_even(2));
  try {
    require_even(3);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "3 is odd; give an even number");
  }
}

TEST(Error, ContextStandsInFrontAndCodeAndLocationStay) {
  const Error inner(ErrorCode::checksum, "digest differs");

  const Error outer = inner.within("golden/a").within("run");

  EXPECT_STREQ(outer.what(), "run: golden/a: digest differs");
  EXPECT_EQ(outer.code(), ErrorCode::checksum);
  EXPECT_EQ(outer.location().line(), inner.location().line());
}

TEST(Error, WithContextReturnsTheResultAndExplainsTheFailure) {
  EXPECT_EQ(with_context("reading", [] { return 42; }), 42);
  try {
    with_context("reading", []() -> int { throw Error(ErrorCode::io, "no such file"); });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "reading: no such file");
    EXPECT_EQ(error.code(), ErrorCode::io);
  }
}

TEST(Error, WithContextLeavesOtherExceptionsAlone) {
  EXPECT_THROW(with_context("reading", []() -> int { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST(Error, EveryCodeHasAName) {
  for (const auto code : {ErrorCode::usage, ErrorCode::not_found, ErrorCode::schema, ErrorCode::checksum, ErrorCode::io,
                          ErrorCode::unsupported, ErrorCode::device, ErrorCode::internal}) {
    EXPECT_STRNE(to_string(code), "unknown");
  }
}

}  // namespace
}  // namespace parity
