// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// End to end on the embedded goldens: correct values pass.
#include "compare/goldens/golden_run.hpp"

#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/capture_cases.hpp"
#include "core/plans/profile.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
using namespace tests;

class Goldens : public ::testing::TestWithParam<std::string> {
 protected:
  fs::path folder() const { return kData / GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Embedded, Goldens, ::testing::ValuesIn(embedded_goldens()), [](const auto& golden) {
  std::string name = golden.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(EmbeddedGoldens, AreThere) { EXPECT_GE(embedded_goldens().size(), 9U); }

TEST_P(Goldens, HoldInEveryMode) {
  for (const Mode mode : {Mode::isolated, Mode::chained, Mode::forced}) {
    const GoldenReport report = judge(folder(), only(mode));

    EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
    EXPECT_GT(report.records.size(), 15U);  // the smallest goldens record layer boundaries and little else
    EXPECT_EQ(report.records.size(), static_cast<size_t>(report.taps.judged));
    EXPECT_EQ(report.taps.unknown, 0);
    EXPECT_FALSE(report.first_divergence.has_value());
    for (const Record& record : report.records) EXPECT_EQ(record.mode, mode) << record.tap;
  }
}

TEST_P(Goldens, HoldForTheReferenceItself) {
  RunOptions options;
  options.candidate = RunOptions::Candidate::reference;
  const GoldenReport report = judge(folder(), options);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_EQ(report.candidate, "reference");
  for (const Record& record : report.records) EXPECT_EQ(record.bit_equal.equal, record.bit_equal.total) << record.tap;
}

TEST_P(Goldens, ShowNothingOfACaptureThatIsTheSameFile) {
  RunOptions options = only(Mode::isolated);
  options.candidate = RunOptions::Candidate::capture;
  options.capture = folder() / "activations.h5";
  const GoldenReport capture = judge(folder(), options);

  EXPECT_EQ(capture.verdict, Status::not_recorded) << complaints(capture);
  EXPECT_EQ(capture.taps.judged, 0);
  EXPECT_TRUE(capture.not_shown.empty()) << capture.not_shown.front();
}

TEST_P(Goldens, HoldForADeclaredCaptureOfTheSameValues) {
  const TemporaryFolder scratch;
  RunOptions options = of_file(filled_capture(folder(), scratch / "capture.h5"));
  const GoldenReport capture = judge(folder(), options);
  const GoldenReport golden = judge(folder(), only(Mode::isolated));

  EXPECT_EQ(capture.verdict, Status::pass) << complaints(capture);
  EXPECT_TRUE(capture.not_shown.empty()) << capture.not_shown.front();
  EXPECT_EQ(capture.taps.judged, golden.taps.judged);
}

/// The second mode depends on the type alone.
void expect_judged_twice(const char* golden, Mode second) {
  const GoldenReport report = judge(kData / golden);

  int64_t isolated = 0;
  int64_t chained = 0;
  for (const Record& record : report.records) {
    ++(record.mode == Mode::isolated ? isolated : chained);
    if (record.mode == Mode::isolated) {
      EXPECT_EQ(chained, 0) << "isolated first";
    } else {
      EXPECT_EQ(record.mode, second);
    }
  }
  EXPECT_EQ(isolated, report.taps.judged);
  EXPECT_GT(chained, 15);
}

TEST(Modes, AreIsolatedAndThenChainedOrForcedByDefault) {
  expect_judged_twice("m3-text-f32", Mode::chained);
  expect_judged_twice("m3-text-f64", Mode::chained);
  expect_judged_twice("m2-text-bf16", Mode::forced);
}

/// Another release, and the first tap that shows its difference. The tap is empty if the golden cannot show one.
struct OtherRelease {
  std::string profile;
  std::string tap;
  Status verdict = Status::fail;
};

OtherRelease other_release(const golden::Golden& golden) {
  if (golden.facts().system == "minimax_m2") {  // rotary_dim is used, unless rope_parameters override it
    if (find_profile("minimax_m2", golden.facts().profile).name == "hf-5.18.0") return {"hf-5.1.0", "/text/rope/cos"};
    const bool inner = golden.config().contains("rope_parameters");
    return {"hf-5.18.0", inner ? "" : "/text/rope/cos", inner ? Status::pass : Status::fail};
  }
  if (golden.facts().system == "minimax_text_01") {
    // Slopes differ if the head count is no power of two. States in T have another type than its binary32 states.
    const auto heads = golden.config().at("num_attention_heads").get<unsigned>();
    const bool narrow = golden.facts().dtype == DType::bf16;
    const bool tables = std::has_single_bit(heads) && !narrow;
    return {"original", tables ? "/text/rope/cos" : "/attention/slope_rate", narrow ? Status::error : Status::fail};
  }
  const std::string rules = find_profile(golden.facts().system, golden.facts().profile).name;
  if (rules == "nemo") return {"nemo-0.7", "", Status::pass};  // its router weight is in bf16
  const auto& steps = golden.steps();
  const bool edited = std::any_of(steps.begin(), steps.end(), [](const auto& s) { return s.crop < 0; });
  if (rules == "hf-5.23.0" && edited) return {"hf-5.18.0", "", Status::pass};  // only the text model
  const bool text = std::none_of(golden.activations().datasets().begin(), golden.activations().datasets().end(),
                                 [](const auto& d) { return d.path.find("/vision/") != std::string::npos; });
  if (rules == "hf-5.23.0" && text) return {"hf-5.12.0", "/attention/indexer/block_"};
  if (rules == "hf-5.23.0") return {"hf-5.12.0", "/vision/image/layers/00/attention/"};
  if (rules == "hf-5.17.0") return {"hf-5.16.0", "/vision/image/rope/cos"};  // it rotates by axes
  const bool first = golden.facts().profile.starts_with("hf-5.12");
  return {first ? "hf-5.13.0" : "hf-5.12.0", "/attention/indexer/block_"};  // it selects other blocks
}

TEST_P(Goldens, DoNotHoldUnderAnotherReleasesProfile) {
  const OtherRelease other = other_release(golden::Golden::open(folder()));
  RunOptions options = only(Mode::isolated);
  options.profile = other.profile;
  const GoldenReport report = judge(folder(), options);

  EXPECT_EQ(report.profile, options.profile);
  EXPECT_EQ(report.verdict, other.verdict);
  ASSERT_EQ(report.first_divergence.has_value(), !other.tap.empty());
  EXPECT_THAT(report.first_divergence ? report.first_divergence->tap : "", HasSubstr(other.tap));
}

/// Parts of larger recordings, in which most nodes are spanned and choices are undecided (golden/cut/README.md).
TEST(CutGoldens, Hold) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("golden/cut")) {
    if (!fs::exists(entry.path() / "activations.h5")) continue;
    const GoldenReport report = judge(entry.path());
    EXPECT_EQ(report.verdict, Status::pass) << report.name << "\n" << complaints(report);
    EXPECT_TRUE(report.unknown_taps.empty()) << report.name;
    ++found;
  }
  EXPECT_EQ(found, 8);
}

TEST(WrongRelease, IsFoundWhereNoSelectionIsRecorded) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.dropped = {"*/indexer/block_scores", "*/indexer/block_indices"};
  const auto copy = copy_golden(kData / "m3-text-pergroup-bf16", scratch / "m3-text-pergroup-bf16", changes);
  RunOptions wrong = only(Mode::isolated);
  wrong.profile = "hf-5.12.0";

  EXPECT_EQ(judge(copy, only(Mode::isolated)).verdict, Status::pass) << complaints(judge(copy, only(Mode::isolated)));
  const GoldenReport report = judge(copy, wrong);
  EXPECT_EQ(report.verdict, Status::fail) << complaints(report);
  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_EQ(report.first_divergence->tap, "steps/000/text/layers/01/attention/core/out");
}

const Record& record_of(const GoldenReport& report, const std::string& tap) {
  return *std::find_if(report.records.begin(), report.records.end(), [&](const Record& r) { return r.tap == tap; });
}

TEST(Selection, LeavesTheToleranceInsideAChainAsItWas) {
  const std::string tap = "steps/000/text/lm_head/out";

  const GoldenReport all = judge(kData / "m3-text-bf16", only(Mode::forced));
  const GoldenReport one = judge(kData / "m3-text-bf16", only(Mode::forced, tap));

  ASSERT_EQ(one.records.size(), 1);
  EXPECT_EQ(one.records[0].terms.tolerance, record_of(all, tap).terms.tolerance);
  EXPECT_EQ(one.records[0].budget_used, record_of(all, tap).budget_used);
}

TEST(Selection, JudgesWhatMatchesAndNothingElse) {
  const GoldenReport report = judge(kData / "m3-text-f32", only(Mode::isolated, "steps/000/*/router/*"));

  EXPECT_EQ(report.records.size(), 10U);  // logits, scores, choice, indices, weights of two layers
  for (const Record& record : report.records) EXPECT_THAT(record.tap, HasSubstr("/router/"));
  EXPECT_EQ(judge(kData / "m3-text-f32", only(Mode::isolated, "nothing")).verdict, Status::not_recorded);
}

TEST(Selection, DoesNotHideThatAChainBroke) {
  const TemporaryFolder scratch;
  Changes changes;
  const auto file = golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5");
  changes.values["steps/001/tokens/input_ids"] = with_element(file.read("steps/001/tokens/input_ids"), 0, 1e6);
  const auto copy = copy_golden(kData / "m3-text-f32", scratch / "copy", changes);

  for (const Mode mode : {Mode::chained, Mode::forced}) {
    const GoldenReport report = judge(copy, only(mode, "*/text/lm_head/out"));
    EXPECT_EQ(report.verdict, Status::error) << "the second call's logits were never judged";
    ASSERT_TRUE(report.first_divergence.has_value());
    EXPECT_EQ(report.first_divergence->component, "token_embedding");
  }
}

TEST(Chains, SayWhatTheyAddAndInherit) {
  const GoldenReport report = judge(kData / "m3-text-f32");
  const Record* isolated = find(report, "steps/001/text/lm_head/out");
  const Record* chained = find(report, "steps/001/text/lm_head/out", Mode::chained);

  ASSERT_TRUE(isolated != nullptr && chained != nullptr);
  EXPECT_EQ(chained->added, isolated->relative_error);
  EXPECT_GT(chained->inherited, 0.0);
  EXPECT_EQ(isolated->inherited, 0.0);
  EXPECT_THAT(chained->repro, ::testing::EndsWith("--mode chained"));
}

TEST(Captures, OfOtherCallsAreRefused) {
  const TemporaryFolder scratch;
  const auto file = golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5");
  const Tensor ids = file.read("steps/001/tokens/input_ids");
  const Tensor labels = file.read("steps/000/tokens/labels");
  Changes value, type, shape, label;
  value.values["steps/001/tokens/input_ids"] = with_element(ids, 3, ids.i64()[3] == 0 ? 1 : 0);
  type.values["steps/001/tokens/input_ids"] =
      convert(ids.view(), DType::u8);  // eight times smaller: must not be read as i64
  shape.values["steps/001/tokens/input_ids"] = Tensor(DType::i64, {1, 4}, "B,S");
  label.values["steps/000/tokens/labels"] = with_element(labels, 3, labels.i64()[3] == 0 ? 1 : 0);

  for (const Changes* changes : {&value, &type, &shape, &label}) {
    RunOptions options;
    options.candidate = RunOptions::Candidate::capture;
    options.capture = scratch / "capture.h5";
    (void)replay::tests::Copy(file, options.capture, *changes);
    try {
      (void)judge(kData / "m3-text-f32", options);
      ADD_FAILURE() << changes->values.begin()->first << ": no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::schema);
      EXPECT_THAT(error.what(), HasSubstr(changes->values.begin()->first + " of the capture differs"));
    }
  }
}

/// A rotary table recorded with one row instead of B applies to every sequence, and each is judged against it.
TEST(EmbeddedGoldens, HoldWithRotaryTablesRecordedOnce) {
  const TemporaryFolder scratch;
  const auto file = golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5");
  Changes once;
  for (const golden::DatasetInfo& info : file.datasets()) {
    if (!glob_match("steps/*/text/rope/*", info.path) || info.path.find("/exact/") != std::string::npos) continue;
    const Tensor table = file.read(info.path);
    once.values[info.path] = convert(slice(table.view(), 'B', 0, 1), table.dtype());
  }
  Changes wrong = once;
  const std::string cosines = "steps/000/text/rope/cos";
  wrong.values[cosines] = tampered(once.values.at(cosines));

  const GoldenReport report = judge(copy_golden(kData / "m3-text-f32", scratch / "once", once));
  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  const GoldenReport failing = judge(copy_golden(kData / "m3-text-f32", scratch / "wrong", wrong));
  EXPECT_EQ(failing.verdict, Status::fail);
  EXPECT_EQ(find(failing, cosines)->failed, 2) << "of both sequences";
}

TEST(Captures, OfOtherPixelsAreRefused) {
  const TemporaryFolder scratch;
  const std::string tap = "steps/000/vision/image/pixel_values";
  const auto file = golden::ActivationFile::open(kData / "m3-vl-bf16" / "activations.h5");
  Changes changes;
  changes.values[tap] = with_element(file.read(tap), 5, 0.75);
  RunOptions options;
  options.candidate = RunOptions::Candidate::capture;
  options.capture = scratch / "capture.h5";
  (void)replay::tests::Copy(file, options.capture, changes);

  try {
    (void)judge(kData / "m3-vl-bf16", options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(tap + " of the capture differs"));
  }
}

TEST(Vision, WithoutItsPixelsOrGridIsRefusedByName) {
  for (const std::string tap : {"steps/000/vision/video/pixel_values", "steps/000/vision/video/grid_thw"}) {
    const TemporaryFolder scratch;
    Changes changes;
    changes.dropped = {tap};
    const auto copy = copy_golden(kData / "m3-vl-bf16", scratch / "golden", changes);

    try {
      (void)judge(copy);
      ADD_FAILURE() << tap << ": no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
      EXPECT_THAT(error.what(), HasSubstr("required tap " + tap + " is missing"));
    }
  }
}

TEST(Vision, OfTheTowerAloneIsReplayed) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.dropped = {"steps/001",          "steps/001/*",    "steps/000/tokens/*", "steps/000/text/*",
                     "steps/000/splice/*", "steps/000/loss", "steps/000/exact/*"};
  const GoldenReport report = judge(copy_golden(kData / "m3-vl-bf16", scratch / "golden", changes));

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_EQ(report.taps.unknown, 0);
  EXPECT_NE(find(report, "steps/000/vision/video/merger/linear_2/out"), nullptr);
}

TEST(Vision, UnderAnotherReleasesScopeIsFound) {
  RunOptions wrong = only(Mode::isolated, "*/vision/*");
  wrong.profile = "hf-5.22.0";
  const GoldenReport report = judge(kData / "m3-vl-f32", wrong);

  EXPECT_EQ(report.verdict, Status::fail);
  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_THAT(report.first_divergence->tap, HasSubstr("vision/image/layers/00/attention/"));
}

// Regression: a correct binary64 recording without rotary tables failed, as our tables differ by a binary32 ulp.
TEST(EmbeddedGoldens, HoldInBinary64WithoutTheRotaryTables) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.dropped = {"*/text/rope/*"};
  copy_golden(kData / "m3-text-f64", scratch / "golden", changes);

  const GoldenReport report = judge(scratch / "golden");

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
}

}  // namespace
}  // namespace parity::compare
