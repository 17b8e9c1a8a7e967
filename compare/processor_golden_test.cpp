// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Recordings of the processors: integers are equal or wrong.
#include <gtest/gtest.h>

#include "compare/golden_cases.hpp"

namespace parity::compare {
namespace {

using namespace testing;

const fs::path kProcessor = "golden/processors/m3-processor";

TEST(ProcessorGolden, HoldsInEveryModeWithNoUnknownTap) {
  const GoldenReport report = judge(kProcessor);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_EQ(report.taps.unknown, 0);
  for (const Record& record : report.records) EXPECT_EQ(record.bit_equal.equal, record.bit_equal.total) << record.tap;
}

TEST(ProcessorGolden, RecordsManySizesAndWhatTheRuleRefuses) {
  const auto golden = golden::Golden::open(kProcessor);
  const Tensor error = golden.activations().read("processor/smart_resize/error");
  int64_t refused = 0;
  for (int64_t i = 0; i < error.view().count(); ++i) refused += error.view().value(i) != 0.0 ? 1 : 0;

  EXPECT_GE(error.view().count(), 500);
  EXPECT_GE(refused, 2);
}

/// A copy with one element of `tap` one more or less.
GoldenReport off_by_one(const std::string& tap) {
  const Scratch scratch;
  Changes changes;  // copies hold neither texts of several lines nor attributes of datasets
  changes.dropped = {"processor/prompts/*", "processor/special_tokens/*", "processor/images/02/*", "processor/videos/*",
                     "processor/smart_resize/error"};
  const Tensor recorded = golden::Golden::open(kProcessor).activations().read(tap);
  const int64_t at = recorded.view().count() / 2;
  const double value = recorded.view().value(at);
  changes.values[tap] = with_element(recorded, at, value > 100.0 ? value - 1.0 : value + 1.0);
  return judge(copy_golden(kProcessor, scratch / "m3-processor", changes), only(Mode::isolated));
}

TEST(ProcessorGolden, OneLevelOfOnePixelIsTooMuch) {
  for (const char* tap :
       {"processor/images/00/resized", "processor/images/01/grid_thw", "processor/smart_resize/out"}) {
    SCOPED_TRACE(tap);
    const GoldenReport report = off_by_one(tap);
    const Record* record = find(report, tap);

    EXPECT_EQ(report.verdict, Status::fail);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->status, Status::fail);
    EXPECT_EQ(record->failed, 1);
  }
}

}  // namespace
}  // namespace parity::compare
