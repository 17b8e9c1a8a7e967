// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Forms in which a capture may store values: other element types, orders of axes, no padding, unordered ids.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/capture_cases.hpp"
#include "core/text.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace tests;

const fs::path kGoldenOfFloats = kData / "m3-text-f32";
const fs::path kGoldenOfHalves = kData / "m3-text-bf16";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class CapturedValues : public ::testing::Test {
 protected:
  GoldenReport judged(const fs::path& golden, const Changes& changes, std::optional<Mode> mode = Mode::isolated) {
    return judge(golden, of_file(filled_capture(golden, scratch / "capture.h5", changes), mode));
  }
  /// Returns changes that store every tap matched by the glob in the type `to`.
  static Changes stored(const fs::path& golden, const std::string& glob, DType from, DType to) {
    Changes changes;
    for (const auto& [tap, values] : goldens_values(golden)) {
      if (glob_match(glob, tap) && values.dtype() == from) changes.values[tap] = convert(values.view(), to);
    }
    return changes;
  }

  TemporaryFolder scratch;
};

// Regression: f32 dumps of a bf16 run were refused.
TEST_F(CapturedValues, OfABf16RunInBinary32AreTheSame) {
  const GoldenReport report =
      judged(kGoldenOfHalves, stored(kGoldenOfHalves, "*", DType::bf16, DType::f32), std::nullopt);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  for (const Record& record : report.records) EXPECT_FALSE(record.deviation.has_value()) << record.tap;
  EXPECT_GT(report.taps.judged, 200);
}

TEST_F(CapturedValues, ThatAreNotRoundedToTheRunsTypePassAndSaySo) {
  const std::string tap = "steps/000/text/layers/01/attention_residual/out";
  const auto values = goldens_values(kGoldenOfHalves);
  const TensorView one = values.at("steps/000/text/layers/00/out").view();
  const TensorView other = values.at("steps/000/text/layers/01/attention/o_proj/out").view();
  Tensor sum(DType::f32, one.shape, "B,S,H");
  for (int64_t i = 0; i < one.count(); ++i)
    store_element(DType::f32, sum.view().data + 4 * i, one.value(i) + other.value(i));
  Changes changes;
  changes.values[tap] = sum;
  const GoldenReport report = judged(kGoldenOfHalves, changes);

  const Record* record = find(report, tap);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->status, Status::pass) << record->reason;
  EXPECT_EQ(record->dtype, DType::f32);
  ASSERT_TRUE(record->deviation.has_value());
  EXPECT_EQ(record->deviation->kind, "type");
}

TEST_F(CapturedValues, OfABinary32RunInFewerBitsAreJudgedToThatRounding) {
  for (const DType narrow : {DType::bf16, DType::f16}) {
    const GoldenReport report = judged(kGoldenOfFloats, stored(kGoldenOfFloats, "*_norm/out", DType::f32, narrow));
    EXPECT_EQ(report.verdict, Status::pass) << to_string(narrow) << "\n" << complaints(report);
  }
  const GoldenReport all = judged(kGoldenOfFloats, stored(kGoldenOfFloats, "*", DType::f32, DType::bf16));
  EXPECT_EQ(all.verdict, Status::pass) << complaints(all);
}

TEST_F(CapturedValues, InFewerBitsStillFailWhenWrong) {
  const std::string tap = "steps/000/text/layers/01/attention/q_norm/out";
  Changes changes = stored(kGoldenOfFloats, "*_norm/out", DType::f32, DType::bf16);
  const Tensor& values = changes.values.at(tap);
  changes.values[tap] = with_element(values, 9, 1.02 * values.view().value(9));

  const GoldenReport report = judged(kGoldenOfFloats, changes);

  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_EQ(report.first_divergence->tap, tap);
}

TEST_F(CapturedValues, IdsOfThirtyTwoBitsAreIds) {
  const GoldenReport report = judged(kGoldenOfHalves, stored(kGoldenOfHalves, "*", DType::i64, DType::i32));

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
}

// Regression: an engine without padding had to fill the padding in, and that failed.
TEST_F(CapturedValues, AtPaddingAreNotJudgedWhereNothingWasComputed) {
  for (const fs::path& golden : {kGoldenOfFloats, kGoldenOfHalves, kData / "m2-text-f32"}) {
    const golden::Golden opened = golden::Golden::open(golden);
    Changes changes;
    int64_t holes = 0;
    for (auto [tap, values] : goldens_values(golden)) {
      const auto axes = split_axes(values.view().axes);
      const std::string mask_path = tap.substr(0, 9) + "/tokens/attention_mask";
      if (axes.size() < 2 || axes[0] != "B" || axes[1] != "S" || !is_float(values.dtype())) continue;
      const Tensor mask = opened.activations().read(mask_path);
      const int64_t slots = mask.shape()[1], tokens = values.shape()[1];
      const int64_t row = values.view().count() / (values.shape()[0] * tokens);
      for (int64_t i = 0; i < values.view().count(); ++i) {
        const int64_t s = i / row % tokens, b = i / row / tokens;
        if (mask.i64()[b * slots + slots - tokens + s] != 0) continue;
        values = with_element(values, i, kNan);
        if (++holes > 300) break;  // stop: each hole is a copy of the file
      }
      changes.values[tap] = values;
      if (holes > 300) break;
    }
    ASSERT_GT(holes, 10) << golden;
    EXPECT_EQ(judged(golden, changes).verdict, Status::fail) << "undeclared, it is what was computed";

    changes.attributes["not_computed_padding"] = "yes";
    const GoldenReport report = judged(golden, changes, std::nullopt);
    EXPECT_EQ(report.verdict, Status::pass) << golden << complaints(report);
    const auto uncomputed = std::count_if(report.records.begin(), report.records.end(),
                                          [](const Record& record) { return record.uncomputed > 0; });
    EXPECT_GT(uncomputed, 40);
  }
}

TEST_F(CapturedValues, OfSequencesThatWereNotComputedAreNotJudged) {
  Changes changes;
  for (auto [tap, values] : goldens_values(kGoldenOfFloats)) {
    if (!values.view().axes.starts_with("B,") || !is_float(values.dtype())) continue;
    const int64_t half = values.view().count() / 2;
    Tensor copy = convert(values.view(), values.dtype());
    for (int64_t i = half; i < 2 * half; ++i)
      store_element(copy.dtype(), copy.view().data + i * size_of(copy.dtype()), kNan);
    changes.values[tap] = copy;
  }
  changes.attributes["not_computed_rows"] = "1";
  const GoldenReport report = judged(kGoldenOfFloats, changes);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  const Record* norm = find(report, "steps/000/text/layers/01/attention/q_norm/out");
  ASSERT_NE(norm, nullptr);
  EXPECT_EQ(norm->uncomputed, norm->elements);
}

TEST_F(CapturedValues, OfWhichNoRowWasComputedShowNothing) {
  Changes changes;
  changes.attributes["not_computed_rows"] = "0 1";  // every sequence of the call
  const GoldenReport report = judged(kGoldenOfFloats, changes);

  const Record* norm = find(report, "steps/000/text/layers/01/attention/q_norm/out");
  ASSERT_NE(norm, nullptr);
  EXPECT_EQ(norm->status, Status::skipped);
  EXPECT_EQ(std::count_if(report.records.begin(), report.records.end(),
                          [](const Record& record) { return record.status == Status::pass && record.elements == 0; }),
            0);
}

TEST_F(CapturedValues, OfLaterCallsAreJudgedWhereAnEarlierOneIsAbsent) {
  Changes changes;
  changes.dropped = {"steps/001/text/*", "steps/001/loss"};
  changes.attributes["not_computed_calls"] = "001";
  const GoldenReport report = judged(kGoldenOfHalves, changes);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_THAT(report.not_shown, IsEmpty());
  EXPECT_NE(find(report, "steps/003/text/layers/01/attention/core/out"), nullptr);
}

TEST_F(CapturedValues, WithAxesExchangedAreReadUnderTheirAttribute) {
  const std::string tap = "steps/000/text/layers/01/attention/q_norm/out";  // B,S,A,D
  const Tensor values = goldens_values(kGoldenOfFloats).at(tap);
  TensorView view = values.view();
  std::swap(view.shape[1], view.shape[2]);
  std::swap(view.strides[1], view.strides[2]);
  Changes changes;
  changes.values[tap] = convert(view, values.dtype());
  changes.axes[tap] = "B,S,A,D";
  const GoldenReport unsaid = judged(kGoldenOfFloats, changes);
  ASSERT_NE(find(unsaid, tap), nullptr);
  EXPECT_EQ(find(unsaid, tap)->status, Status::fail);
  EXPECT_THAT(find(unsaid, tap)->reason, HasSubstr("the shape fits axes B,A,S,D"));

  changes.axes[tap] = "B,A,S,D";
  const GoldenReport said = judged(kGoldenOfFloats, changes);
  EXPECT_EQ(said.verdict, Status::pass) << complaints(said);
}

// Regression: the axes that the file states for a tap were ignored when the shape fitted.
TEST_F(CapturedValues, UnderOtherAxesThanTheGoldensAreInError) {
  const std::string tap = "steps/000/text/layers/01/attention/q_norm/out";  // B,S,A,D
  Changes changes;
  changes.values[tap] = goldens_values(kGoldenOfFloats).at(tap);
  for (const char* axes : {"B,S,G,D", "B,A,S,D", "S,B,A,D"}) {
    changes.axes[tap] = axes;
    const GoldenReport report = judged(kGoldenOfFloats, changes);
    ASSERT_NE(find(report, tap), nullptr);
    EXPECT_EQ(find(report, tap)->status, Status::error) << axes;
    EXPECT_THAT(find(report, tap)->reason, HasSubstr(std::string("has axes \"") + axes + "\", but its shape"));
    EXPECT_EQ(report.answer, Answer::not_shown);
  }
  changes.axes[tap] = "B, S, A, D";
  EXPECT_EQ(judged(kGoldenOfFloats, changes).verdict, Status::pass);
}

TEST_F(CapturedValues, MayHaveANumberForMinusInfinityInScores) {
  Changes changes;
  for (auto [tap, values] : goldens_values(kGoldenOfHalves)) {
    if (!glob_match("*/indexer/block_scores", tap)) continue;
    Tensor copy = convert(values.view(), values.dtype());
    for (int64_t i = 0; i < copy.view().count(); ++i) {
      if (std::isinf(copy.view().value(i)))
        store_element(copy.dtype(), copy.view().data + i * size_of(copy.dtype()), -1e30);
    }
    changes.values[tap] = copy;
  }
  ASSERT_FALSE(changes.values.empty());
  EXPECT_EQ(judged(kGoldenOfHalves, changes).verdict, Status::fail);

  changes.attributes["nothing"] = "-1e30";
  const GoldenReport report = judged(kGoldenOfHalves, changes);
  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
}

/// Returns the golden's block lists in ascending order, as kernels write them that read blocks as a set.
Changes ascending_blocks() {
  Changes changes;
  for (auto [tap, values] : goldens_values(kGoldenOfHalves)) {
    if (!glob_match("*/indexer/block_indices", tap)) continue;
    Tensor copy = convert(values.view(), values.dtype());
    const int64_t width = copy.shape().back();
    for (int64_t first = 0; first < copy.view().count(); first += width)
      std::sort(copy.i64() + first, std::find(copy.i64() + first, copy.i64() + first + width, -1));
    changes.values[tap] = copy;
  }
  return changes;
}

TEST_F(CapturedValues, OfBlockListsMayBeASet) {
  Changes changes = ascending_blocks();
  const GoldenReport unsaid = judged(kGoldenOfHalves, changes);
  EXPECT_EQ(unsaid.verdict, Status::pass) << complaints(unsaid);
  const Record* tried = find(unsaid, "steps/000/text/layers/01/attention/indexer/block_indices");
  ASSERT_NE(tried, nullptr);
  ASSERT_TRUE(tried->deviation.has_value());
  EXPECT_EQ(tried->deviation->text, "the same set of ids, in ascending order");

  changes.attributes["ids_order"] = "set";
  const GoldenReport set = judged(kGoldenOfHalves, changes);
  EXPECT_EQ(set.verdict, Status::pass) << complaints(set);
  EXPECT_FALSE(find(set, tried->tap)->deviation.has_value());

  changes.attributes["ids_order"] = "list";
  EXPECT_EQ(judged(kGoldenOfHalves, changes).verdict, Status::fail);
}

TEST_F(CapturedValues, OfASetWithAnotherIdStillFail) {
  Changes changes = ascending_blocks();
  changes.attributes["ids_order"] = "set";
  auto& [tap, values] = *changes.values.begin();
  const int64_t width = values.shape().back();
  const int64_t last = values.view().count() - width;  // belongs to the last query, which sees the most blocks
  values = with_element(values, last, values.i64()[last] == 0 ? 1 : values.i64()[last] - 1);
  const GoldenReport report = judged(kGoldenOfHalves, changes);

  EXPECT_EQ(report.verdict, Status::fail);
}

}  // namespace
}  // namespace parity::compare
