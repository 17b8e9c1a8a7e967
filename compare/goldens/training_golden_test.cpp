// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A training step whose second micro-batch has a different shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/golden_cases.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
using namespace tests;

constexpr const char* kTrained = "nemo-m3-train-bf16";
constexpr const char* kSecond = "steps/000/tokens/second_input_ids";

/// Expert loads that nemo-automodel 0.6.0 counts in this golden's micro-batch of 2 x 53 and one of 2 x `tokens`.
struct Loads {
  int64_t tokens;
  std::vector<int64_t> of_layer[2];
};
const Loads kShorter{45, {{11, 12, 163, 118, 15, 14, 157, 32}, {45, 43, 125, 20, 123, 51, 50, 65}}};
const Loads kLonger{61, {{13, 13, 197, 135, 23, 16, 181, 40}, {46, 50, 145, 21, 150, 60, 61, 85}}};

Tensor ids(const Shape& shape, const std::vector<int64_t>& values, const std::string& axes) {
  Tensor tensor(DType::i64, shape, axes);
  std::copy(values.begin(), values.end(), tensor.i64());
  return tensor;
}

/// Writes the golden with a second micro-batch of `tokens` per row and the given loads.
fs::path with_second(const fs::path& target, int64_t tokens, const Loads& loads) {
  Changes changes;
  std::vector<int64_t> words;
  for (int64_t i = 0; i < 2 * tokens; ++i) words.push_back((7 * i + 8) % 81 + 8);
  changes.values[kSecond] = ids({2, tokens}, words, "B,S");
  for (int64_t layer = 0; layer < 2; ++layer) {
    const std::string tap = fmt::format("steps/000/text/layers/{:02}/moe/router/cumulative_load", layer);
    changes.values[tap] = ids({8}, loads.of_layer[layer], "E");
  }
  copy_golden(kData / kTrained, target, changes);
  return target;
}

TEST(TrainingGolden, CountsASecondMicroBatchOfAnyLength) {
  for (const Loads& loads : {kShorter, kLonger}) {
    const TemporaryFolder scratch;
    const RunOptions loads_only = only(Mode::isolated, "*/cumulative_load");
    const GoldenReport report = judge(with_second(scratch / "copy", loads.tokens, loads), loads_only);

    EXPECT_EQ(report.verdict, Status::pass) << loads.tokens << "\n" << complaints(report);
    EXPECT_EQ(report.records.size(), 2U);
  }
}

/// The longer micro-batch moves every bias like the recorded one. The shorter one moves the last expert's differently.
TEST(TrainingGolden, HoldsWithALongerSecondMicroBatch) {
  const TemporaryFolder scratch;
  const GoldenReport report = judge(with_second(scratch / "copy", 61, kLonger), only(Mode::isolated));

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_NE(find(report, "steps/000/text/layers/01/moe/router/bias_after"), nullptr);
}

TEST(TrainingGolden, FailsWithTheLoadsOfAnotherSecondMicroBatch) {
  const TemporaryFolder scratch;
  const GoldenReport report = judge(with_second(scratch / "copy", 61, kShorter), only(Mode::isolated));

  EXPECT_EQ(report.verdict, Status::fail);
  EXPECT_THAT(report.first_divergence->tap, HasSubstr("cumulative_load"));
}

TEST(TrainingGolden, WithoutRowsInItsSecondMicroBatchIsRefused) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.values[kSecond] = ids({106}, std::vector<int64_t>(106, 9), "S");
  copy_golden(kData / kTrained, scratch / "copy", changes);

  try {
    static_cast<void>(judge(scratch / "copy"));
    FAIL() << "a shape of one axis was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected [B,S]"));
  }
}

}  // namespace
}  // namespace parity::compare
