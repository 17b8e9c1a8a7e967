// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Drawn parameters: reproducible and of the given distribution; hostile descriptions are refused.
#include "golden/sources/synthetic_source.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/testing/test_support.hpp"

namespace parity::golden::test {
namespace {

using ::testing::HasSubstr;

std::vector<double> numbers(const SyntheticSource& source, const std::string& name) {
  std::vector<double> result(static_cast<size_t>(element_count(source.describe(name).shape)));
  source.read(name, result.data());
  return result;
}

SyntheticSource sample(uint64_t seed) {
  return {seed,
          {{"a", {DType::bf16, {40, 25}, 0.5}}, {"b", {DType::f32, {40, 25}, 0.5}}, {"odd", {DType::f32, {7}, 1}}}};
}

TEST(SyntheticSource, DependsOnSeedAndNameOnly) {
  EXPECT_EQ(numbers(sample(1), "a"), numbers(sample(1), "a"));
  EXPECT_NE(numbers(sample(1), "a"), numbers(sample(2), "a"));
  EXPECT_NE(numbers(sample(1), "a"), numbers(sample(1), "b"));
}

TEST(SyntheticSource, ValuesHaveTheirSpreadAndTheirType) {
  const auto values = numbers(sample(1), "a");
  double sum = 0.0;
  double squares = 0.0;
  for (const double x : values) {
    EXPECT_EQ(x, round_to(DType::bf16, x));
    sum += x;
    squares += x * x;
  }

  EXPECT_NEAR(sum / 1000, 0.0, 0.05);
  EXPECT_NEAR(std::sqrt(squares / 1000), 0.5, 0.05);
}

TEST(SyntheticSource, ACountThatIsNoMultipleOfACounterIsFilled) {
  for (const double x : numbers(sample(1), "odd")) EXPECT_NE(x, 0.0);
}

TEST(SyntheticSource, ATensorThatIsKeptHasTheSameNumbers) {
  const SyntheticSource source = sample(3);
  const TensorView kept = source.tensor("a");

  EXPECT_EQ(kept.dtype, DType::bf16);
  EXPECT_EQ(kept.value(999), numbers(source, "a")[999]);
}

class SyntheticFile : public ::testing::Test {
 protected:
  std::string refusal(const std::string& text) {
    write_bytes(file, text);
    try {
      (void)SyntheticSource::open(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
  TemporaryFolder folder;
  std::filesystem::path file = folder / "synthetic.json";
};

TEST_F(SyntheticFile, IsReadBackAsItWasWritten) {
  EXPECT_EQ(refusal(sample(9).json()), "accepted");
  EXPECT_EQ(numbers(SyntheticSource::open(file), "a"), numbers(sample(9), "a"));
}

TEST_F(SyntheticFile, WhatIsWrongIsNamed) {
  EXPECT_THAT(refusal("{}"), HasSubstr("expected a JSON object with \"seed\" and \"tensors\""));
  EXPECT_THAT(refusal(R"({"seed": 1, "tensors": {"w": {"dtype": "bf16", "shape": [2]}}})"), HasSubstr("tensor w"));
  EXPECT_THAT(refusal(R"({"seed": 1, "tensors": {"w": {"dtype": "i64", "shape": [2], "spread": 1}}})"),
              HasSubstr("dtype \"i64\""));
  EXPECT_THAT(refusal(R"({"seed": 1, "tensors": {"w": {"dtype": "f32", "shape": [1048576, 1048577], "spread": 1}}})"),
              HasSubstr("at most 2^40"));
  EXPECT_THAT(refusal(R"({"seed": 1, "tensors": {"w": {"dtype": "f32", "shape": [-1], "spread": 1}}})"),
              HasSubstr("shape [-1]"));
}

}  // namespace
}  // namespace parity::golden::test
