// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Recordings of the processors. Integers must be equal.
#include <gtest/gtest.h>

#include "compare/testing/golden_cases.hpp"

namespace parity::compare {
namespace {

using namespace tests;

const fs::path kProcessor = "golden/processors/m3-processor";
const fs::path kSegments = "golden/processors/m3-processor-5.23";

/// Counts of equal and of all elements, over the isolated records whose taps match.
struct Share {
  int64_t equal = 0, total = 0;
};

Share share_of(const GoldenReport& report, const std::string& pattern) {
  Share share;
  for (const Record& record : report.records) {
    if (record.mode != Mode::isolated || !glob_match(pattern, record.tap)) continue;
    share.equal += record.bit_equal.equal;
    share.total += record.bit_equal.total;
  }
  return share;
}

TEST(ProcessorGolden, HoldsInEveryModeWithNoUnknownTap) {
  for (const fs::path& golden : {kProcessor, kSegments}) {
    SCOPED_TRACE(golden);
    const GoldenReport report = judge(golden);

    EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
    EXPECT_EQ(report.taps.unknown, 0);
    for (const Record& record : report.records) EXPECT_EQ(record.bit_equal.equal, record.bit_equal.total) << record.tap;
  }
}

TEST(ProcessorGolden, EveryGridTokenCountAndPixelOfManySizesIsEqual) {
  const GoldenReport report = judge(kProcessor, only(Mode::isolated));
  for (const char* taps : {"processor/grids/*/grid_thw", "processor/grids/*/tokens", "processor/grids/*/error",
                           "processor/smart_resize/out", "processor/*/*/resized", "processor/sampling/indices"}) {
    const Share share = share_of(report, taps);
    EXPECT_EQ(share.equal, share.total) << taps;
    EXPECT_GE(share.total, 500) << taps;
    std::printf("%-28s %lld of %lld equal\n", taps, static_cast<long long>(share.equal),
                static_cast<long long>(share.total));
  }
}

int64_t flagged(const golden::Golden& golden, const std::string& tap) {
  const Tensor flags = golden.activations().read(tap);
  int64_t count = 0;
  for (int64_t i = 0; i < flags.view().count(); ++i) count += flags.view().value(i) != 0.0 ? 1 : 0;
  return count;
}

TEST(ProcessorGolden, RecordsSizesOfEveryRatioAndWhatIsRefused) {
  const auto golden = golden::Golden::open(kProcessor);
  const Tensor sizes = golden.activations().read("processor/grids/00/sizes");
  double steepest = 0.0;
  for (int64_t i = 0; i + 1 < sizes.view().count(); i += 2)
    steepest = std::max(steepest, sizes.view().value(i + 1) / sizes.view().value(i));

  EXPECT_GE(steepest, 200.0);
  EXPECT_GE(flagged(golden, "processor/smart_resize/error"), 2);
  EXPECT_GE(flagged(golden, "processor/grids/00/error"), 2);
  EXPECT_GE(flagged(golden, "processor/grids/01/error"), 2);  // lost sides count too
  EXPECT_GE(flagged(golden, "processor/sampling/error"), 2);
}

TEST(ProcessorGolden, OfOneReleaseFailsUnderTheProfileOfAnother) {
  RunOptions options = only(Mode::isolated);
  options.profile = "hf-5.22.0";
  const GoldenReport report = judge(kProcessor, options);

  EXPECT_EQ(report.verdict, Status::fail);
  for (const char* tap : {"processor/smart_resize/out", "processor/grids/01/grid_thw", "processor/sampling/indices"}) {
    const Record* record = find(report, tap);
    ASSERT_NE(record, nullptr) << tap;
    EXPECT_EQ(record->status, Status::fail) << tap;
  }
}

/// Regression: 5.23.0 counts segments of videos, which earlier recordings lack. That threw std::out_of_range.
TEST(ProcessorGolden, ThatLacksWhatAReleaseReadsNamesIt) {
  RunOptions options;
  options.profile = "hf-5.23.0";
  const GoldenReport report = judge(kProcessor, options);

  EXPECT_NE(report.verdict, Status::pass);
  const bool named = std::any_of(report.records.begin(), report.records.end(), [](const Record& record) {
    return record.reason.find("num_chunks_per_video, which") != std::string::npos;
  });
  EXPECT_TRUE(named);
}

/// Judges a copy of the golden in which one element of `tap` is changed by one.
GoldenReport off_by_one(const std::string& tap) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.dropped = {"processor/prompts/*", "processor/special_tokens/*"};  // copies cannot store lists of texts
  const Tensor recorded = golden::Golden::open(kProcessor).activations().read(tap);
  const int64_t at = recorded.view().count() / 2;
  const double value = recorded.view().value(at);
  changes.values[tap] = with_element(recorded, at, value > 100.0 ? value - 1.0 : value + 1.0);
  return judge(copy_golden(kProcessor, scratch / "m3-processor", changes), only(Mode::isolated));
}

TEST(ProcessorGolden, OneLevelOfOnePixelOrOneOfAGridIsTooMuch) {
  for (const char* tap : {"processor/images/00/resized", "processor/images/07/resized", "processor/images/01/grid_thw",
                          "processor/smart_resize/out", "processor/grids/00/grid_thw", "processor/grids/03/tokens",
                          "processor/sampling/indices"}) {
    SCOPED_TRACE(tap);
    const GoldenReport report = off_by_one(tap);
    const Record* record = find(report, tap);

    EXPECT_EQ(report.verdict, Status::fail);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->status, Status::fail);
    EXPECT_EQ(record->failed, 1);
    for (const Record& other : report.records)
      EXPECT_TRUE(other.status == Status::pass || other.tap == tap || other.component == "patchify") << other.tap;
  }
}

TEST(ProcessorGolden, WithoutSomeOfItsTapsIsJudgedByTheOthers) {
  for (const fs::path& recorded : {kProcessor, kSegments}) {
    for (const char* tap : {"grid_thw", "tokens", "error", "out", "indices", "resized"}) {
      SCOPED_TRACE(recorded.string() + " " + tap);
      const TemporaryFolder scratch;
      Changes changes;
      changes.dropped = {"processor/prompts/*", "processor/special_tokens/*",  // copies cannot store lists of texts
                         std::string("processor/*/") + tap};
      const GoldenReport report = judge(copy_golden(recorded, scratch / "copy", changes), only(Mode::isolated));

      EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
    }
  }
}

}  // namespace
}  // namespace parity::compare
