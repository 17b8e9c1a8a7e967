// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks of a golden besides its values: accounting, aliases, stale copies, coverage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/captures/accounting.hpp"
#include "compare/captures/alias_check.hpp"
#include "compare/studies/coverage.hpp"
#include "compare/testing/golden_cases.hpp"
#include "replay/captures/golden_plan.hpp"
#include "replay/testing/collector.hpp"
#include "replay/testing/synthetic_golden.hpp"

namespace parity::compare {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace tests;
using replay::tests::kTinyConfig;
using replay::tests::Opened;
using replay::tests::write_tiny_golden;

TEST(Accounting, PutsEveryDatasetAndEveryOutputIntoOneClass) {
  for (const std::string& name : embedded_goldens()) {
    const golden::Golden golden = golden::Golden::open(kData / name);
    const Plan plan = replay::plan_of(golden);
    const TapCounts taps = judge(kData / name, only(Mode::isolated)).taps;
    const auto datasets = static_cast<int64_t>(golden.activations().datasets().size());
    const auto outputs =
        std::count_if(plan.taps.begin(), plan.taps.end(), [](const auto& tap) { return tap.second.producer >= 0; });

    EXPECT_EQ(taps.judged + taps.input + taps.alias + taps.parameter + taps.yardstick + taps.unknown, datasets) << name;
    EXPECT_EQ(taps.judged + taps.spanned + taps.not_recorded, outputs) << name;
    EXPECT_EQ(taps.unknown, 0) << name;
  }
}

TEST(Accounting, CountsAsJudgedWhatARecordJudges) {
  const auto judged = [](const GoldenReport& report) {
    std::set<std::string> taps;
    for (const Record& record : report.records) {
      if (record.status != Status::error) taps.insert(record.tap);
    }
    return static_cast<int64_t>(taps.size());
  };
  const int64_t all = judge(kData / "m3-text-f32", only(Mode::isolated)).taps.judged;
  const GoldenReport selected = judge(kData / "m3-text-f32", only(Mode::isolated, "*/router/*"));
  const GoldenReport nothing = judge(kData / "m3-text-f32", only(Mode::isolated, "nothing"));

  EXPECT_EQ(selected.taps.judged, judged(selected));
  EXPECT_EQ(selected.taps.unselected, all - selected.taps.judged);
  EXPECT_EQ(selected.taps.unjudged, 0);
  EXPECT_EQ(nothing.taps.judged, 0);
  EXPECT_EQ(nothing.taps.unselected, all);
}

TEST(Accounting, CountsWhatStandsBehindABrokenChainAsUnjudged) {
  const TemporaryFolder scratch;
  const std::string ids = "steps/001/tokens/input_ids";
  Changes changes;
  changes.values[ids] =
      with_element(golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5").read(ids), 0, 1e6);
  const auto broken = copy_golden(kData / "m3-text-f32", scratch / "copy", changes);
  const GoldenReport report = judge(broken, only(Mode::chained));
  const TapCounts whole = judge(kData / "m3-text-f32", only(Mode::chained)).taps;

  EXPECT_EQ(whole.unjudged, 0);
  EXPECT_GT(report.taps.unjudged, 0);
  EXPECT_EQ(report.taps.judged + report.taps.unjudged, whole.judged);
  EXPECT_EQ(static_cast<size_t>(report.taps.judged) + 1, report.records.size()) << "and the error";
}

TEST(Accounting, CountsATapOfAnotherShapeOnce) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.values["steps/001/text/final_norm/out"] = Tensor(DType::f32, {2, 1, 5}, "B,S,H");
  const auto copy = copy_golden(kData / "m3-text-f32", scratch / "copy", changes);
  const Opened opened(copy);
  const GoldenReport report = judge(copy, only(Mode::isolated));
  const auto outputs = std::count_if(opened.plan.taps.begin(), opened.plan.taps.end(),
                                     [](const auto& tap) { return tap.second.producer >= 0; });

  EXPECT_EQ(report.taps.judged + report.taps.spanned + report.taps.not_recorded, outputs);
  EXPECT_EQ(find(report, "steps/001/text/final_norm/out")->dtype, DType::f32);
}

TEST(Accounting, ListsWhatItDoesNotKnow) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.values["steps/000/text/layers/07/odd"] = Tensor(DType::f32, {2}, "B");
  changes.values["odd/tokens"] = Tensor(DType::f32, {2}, "B");
  const GoldenReport report =
      judge(copy_golden(kData / "m3-text-f32", scratch / "copy", changes), only(Mode::isolated));

  EXPECT_EQ(report.taps.unknown, 2);
  EXPECT_THAT(report.unknown_taps, ElementsAre("odd/tokens", "steps/000/text/layers/07/odd"));
}

TEST(Accounting, FailsACacheWhoseOldSlotsAreWrongIfNothingElseOfThemIsRecorded) {
  const TemporaryFolder scratch;
  const std::string cache = "steps/001/text/layers/00/cache/k";
  Changes changes;
  changes.dropped = {"steps/000/text/layers/00/cache/*", "steps/000/text/layers/00/attention/k_rope/out",
                     "steps/000/text/layers/00/attention/v_proj/out"};
  changes.values[cache] =
      with_element(golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5").read(cache), 0, 1e3);
  const GoldenReport report =
      judge(copy_golden(kData / "m3-text-f32", scratch / "copy", changes), only(Mode::isolated));

  EXPECT_EQ(find(report, cache)->status, Status::fail);
}

TEST(Accounting, CountsSpannedAndNotRecordedOutputsApart) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.dropped = {"steps/001/text/lm_head/out",
                     "steps/001/text/layers/00/attention/o_proj/out"};  // no other node reads logits
  const TapCounts before = judge(kData / "m3-text-f32", only(Mode::isolated)).taps;
  const TapCounts after =
      judge(copy_golden(kData / "m3-text-f32", scratch / "copy", changes), only(Mode::isolated)).taps;

  EXPECT_EQ(after.judged, before.judged - 2);
  EXPECT_EQ(after.spanned, before.spanned + 1);
  EXPECT_EQ(after.not_recorded, before.not_recorded + 1);
}

class SecondNames : public ::testing::Test {
 protected:
  static constexpr const char* kAlias = "steps/000/text/layers/01/in";

  GoldenReport judge_copy(const Changes& changes, const RunOptions& options = only(Mode::isolated)) {
    return judge(copy_golden(kData / "m3-text-f32", scratch / "copy", changes), options);
  }
  TemporaryFolder scratch;
};

TEST_F(SecondNames, ThatAreCopiesMustRepeatTheirTap) {
  Changes changes;
  changes.links = false;
  const GoldenReport report = judge_copy(changes);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  ASSERT_NE(find(report, kAlias), nullptr);
  EXPECT_EQ(find(report, kAlias)->component, "residual_add");
}

TEST_F(SecondNames, ThatDifferFromTheirTapFail) {
  const auto file = golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5");
  Changes changes;
  changes.values[kAlias] = with_element(file.read(kAlias), 3, 17.0);
  const GoldenReport report = judge_copy(changes);

  EXPECT_EQ(report.verdict, Status::fail);
  EXPECT_EQ(report.first_divergence->tap, kAlias);
  EXPECT_THAT(find(report, kAlias)->reason, HasSubstr("the values differ from those of steps/000/text/layers/00/out"));
}

TEST_F(SecondNames, ThatAreHardLinksNeedNoRecord) { EXPECT_EQ(find(judge_copy({}), kAlias), nullptr); }

TEST_F(SecondNames, OutsideTheSelectionAreNotChecked) {
  Changes changes;
  changes.links = false;

  EXPECT_EQ(find(judge_copy(changes, only(Mode::isolated, "*/router/*")), kAlias), nullptr);
}

TEST(StaleCopies, OfAnotherLayersTapAreMistrusted) {
  const TemporaryFolder scratch;
  const std::string first = "steps/000/text/layers/00/attention/o_proj/out";
  const std::string second = "steps/000/text/layers/01/attention/o_proj/out";
  Changes changes;
  changes.values[second] = golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5").read(first);
  const Opened opened(copy_golden(kData / "m3-text-f32", scratch / "copy", changes));
  GoldenReport report;
  for (const auto& tap : {first, second, std::string("steps/000/text/layers/02/attention/o_proj/out")}) {
    Record record;
    record.tap = tap;
    record.dtype = DType::f32;
    report.records.push_back(record);  // as if both modes had passed
  }
  check_stale_copies(opened.recording, report);

  EXPECT_EQ(report.records[0].status, Status::pass);
  EXPECT_EQ(report.records[1].status, Status::mistrusted);
  EXPECT_THAT(report.records[1].reason, HasSubstr("has the same bytes as " + first));
  EXPECT_EQ(report.records[2].status, Status::pass);
  EXPECT_EQ(judge(scratch / "copy", only(Mode::isolated)).first_divergence->tap, second) << "nor do its values hold";
}

/// Returns the statuses of all records of a component.
std::set<Status> statuses_of(const GoldenReport& report, const std::string& component) {
  std::set<Status> result;
  for (const Record& record : report.records) {
    if (record.component == component) result.insert(record.status);
  }
  return result;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  PARITY_CHECK(at != std::string::npos, internal, "no {} in the text", from);
  return text.replace(at, from.size(), to);
}

TEST(Coverage, OfTheTinyGoldenIsComplete) {
  const TemporaryFolder scratch;
  write_tiny_golden(scratch / "golden");
  const GoldenReport report = judge(scratch / "golden");

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(Coverage, WithoutADroppedBlockMistrustsTheSelection) {
  const TemporaryFolder scratch;
  write_tiny_golden(scratch / "golden", DType::f64,
                    replaced(kTinyConfig, R"("sparse_topk_blocks": 4)", R"("sparse_topk_blocks": 6)"));
  const GoldenReport report = judge(scratch / "golden");

  EXPECT_EQ(report.verdict, Status::mistrusted);
  EXPECT_THAT(statuses_of(report, "index_select"), ElementsAre(Status::mistrusted));
  EXPECT_THAT(statuses_of(report, "router"), ElementsAre(Status::pass));
  EXPECT_THAT(report.notes, Contains(HasSubstr("no block is ever dropped")));
  EXPECT_FALSE(report.first_divergence.has_value());
}

TEST(Coverage, WithoutAReachedClampMistrustsTheActivation) {
  const TemporaryFolder scratch;
  write_tiny_golden(scratch / "golden", DType::f64,
                    replaced(kTinyConfig, R"("head_dim": 4,)", R"("head_dim": 4, "swiglu_limit": 1e6,)"));
  const GoldenReport report = judge(scratch / "golden");

  EXPECT_EQ(report.verdict, Status::mistrusted);
  EXPECT_THAT(statuses_of(report, "swiglu"), ElementsAre(Status::mistrusted));
  EXPECT_THAT(report.notes, Contains(HasSubstr("no clamp is ever reached")));
}

TEST(Coverage, NotesARouterWhoseBiasNeverMatters) {
  const TemporaryFolder scratch;
  write_tiny_golden(scratch / "golden");
  Changes changes;  // in every router the choice scores equal the scores
  const auto file = golden::ActivationFile::open(scratch / "golden" / "activations.h5");
  for (const golden::DatasetInfo& info : file.datasets()) {
    if (!info.path.ends_with("router/scores")) continue;
    changes.values[info.path.substr(0, info.path.rfind('/')) + "/choice"] = file.read(info.path);
  }
  const Opened whole(scratch / "golden");
  const Opened unbiased(copy_golden(scratch / "golden", scratch / "copy", changes));
  GoldenReport before, after;
  judge_coverage(whole.plan, whole.recording, before);
  judge_coverage(unbiased.plan, unbiased.recording, after);

  EXPECT_THAT(before.notes, IsEmpty());
  EXPECT_THAT(after.notes,
              ElementsAre(HasSubstr("the golden does not exercise component router: its bias never changes a choice")));
}

/// Whether the report notes the clamp (its limit is 7) when every gate is `gate` and every up value is `up`.
bool clamp_is_reached(double gate, double up) {
  const TemporaryFolder scratch;
  write_tiny_golden(scratch / "golden");
  Changes changes;
  const auto file = golden::ActivationFile::open(scratch / "golden" / "activations.h5");
  for (const golden::DatasetInfo& info : file.datasets()) {
    if (!info.path.ends_with("gate_up/out")) continue;
    Tensor value = file.read(info.path);
    const int64_t width = value.shape().back();
    for (int64_t i = 0; i < value.view().count(); ++i) value.f64()[i] = i % width < width / 2 ? gate : up;
    changes.values[info.path] = value;
  }
  const Opened opened(copy_golden(scratch / "golden", scratch / "copy", changes));
  GoldenReport report;
  judge_coverage(opened.plan, opened.recording, report);
  return report.notes.empty();
}

TEST(Coverage, ClampsTheGateFromAboveAndUpFromBothSides) {
  EXPECT_TRUE(clamp_is_reached(7.5, 0.0));
  EXPECT_FALSE(clamp_is_reached(-7.5, 0.0)) << "the gate has no lower clamp";
  EXPECT_TRUE(clamp_is_reached(0.0, 7.5));
  EXPECT_TRUE(clamp_is_reached(0.0, -7.5));
  EXPECT_FALSE(clamp_is_reached(6.5, -6.5));
}

}  // namespace
}  // namespace parity::compare
