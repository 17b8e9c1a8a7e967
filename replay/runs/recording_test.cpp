// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/files/temporary_folder.hpp"
#include "replay/testing/collector.hpp"
#include "replay/testing/golden_copy.hpp"
#include "replay/testing/synthetic_golden.hpp"

namespace parity::replay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class RecordingOf : public ::testing::Test {
 protected:
  void SetUp() override {
    tests::write_tiny_golden(scratch / "whole");
    whole.emplace(scratch / "whole");
  }

  /// Returns the golden's taps under its plan, with `changes`.
  const Recording& change(const tests::Changes& changes) {
    (void)tests::Copy(whole->golden.activations(), scratch / "changed.h5", changes);
    file.emplace(golden::ActivationFile::open(scratch / "changed.h5"));
    return recording.emplace(*file, whole->plan);
  }
  const Recording& without(const std::set<std::string>& globs) {
    tests::Changes changes;
    changes.dropped = globs;
    return change(changes);
  }
  void expect_recovered(const std::string& tap) const {
    EXPECT_FALSE(recording->has(tap)) << tap;
    ASSERT_TRUE(recording->available(tap)) << tap;
    const Tensor read = recording->read(tap);
    EXPECT_EQ(read.shape(), whole->plan.tap(tap).shape) << tap;
    EXPECT_EQ(tests::differing(read, whole->recording.read(tap)), 0) << tap;
  }
  std::string refusal(const tests::Changes& changes) {
    const auto& mismatches = change(changes).mismatches();
    return mismatches.empty() ? "no mismatch" : mismatches.begin()->second.reason;
  }

  golden::TemporaryFolder scratch;
  std::optional<tests::Opened> whole;
  std::optional<golden::ActivationFile> file;
  std::optional<Recording> recording;
};

constexpr const char* kLayerOfRecording = "text/layers/01/";

TEST_F(RecordingOf, HistoryIsPutTogetherFromTheCallsBefore) {
  without({"*/cache/*"});

  for (const char* step : {"steps/000/", "steps/001/", "steps/002/"}) {
    for (const char* cache : {"cache/k", "cache/v", "cache/index_k"})
      expect_recovered(std::string(step) + kLayerOfRecording + cache);
  }
}

TEST_F(RecordingOf, HistoryIsASliceOfALaterCache) {
  without({"*/k_rope/out", "*/v_proj/out", "steps/000/*/cache/*", "steps/001/*/cache/*"});

  for (const char* step : {"steps/000/", "steps/001/"}) {
    for (const char* cache : {"cache/k", "cache/v", "cache/index_k"})
      expect_recovered(std::string(step) + kLayerOfRecording + cache);
  }
}

TEST_F(RecordingOf, PartIsNotTakenFromTheCacheThatItMakes) {
  // A cache that is judged against parts cut from itself could not fail.
  without({"*/k_rope/out", "*/v_proj/out"});

  for (const char* part : {"attention/k_rope/out", "attention/v_proj/out", "attention/indexer/k_rope/out"}) {
    EXPECT_FALSE(recording->available(std::string("steps/000/") + kLayerOfRecording + part)) << part;
  }
}

TEST_F(RecordingOf, HistoryIsNotTakenFromALaterCacheWhenAnEarlierOneIsRecorded) {
  // The later cache is judged after the taps of this call, so damage to it must not be reported here.
  without({"*/k_rope/out", "*/v_proj/out", "steps/001/*/cache/*"});

  EXPECT_FALSE(recording->available(std::string("steps/001/") + kLayerOfRecording + "cache/k"));
}

TEST_F(RecordingOf, HistoryWithAGapIsNotAvailable) {
  const std::string tap = std::string("steps/002/") + kLayerOfRecording + "cache/k";
  const Recording& gap = without({"*/cache/*", std::string("steps/001/") + kLayerOfRecording + "attention/k_rope/out"});

  EXPECT_TRUE(gap.available(std::string("steps/000/") + kLayerOfRecording + "cache/k"));
  EXPECT_FALSE(gap.available(tap));
  try {
    (void)gap.read(tap);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr(tap));
  }
}

TEST_F(RecordingOf, AnAliasAloneRecordsTheTapThatItRepeats) {
  const std::string tap = "steps/000/text/layers/00/out";
  const Recording& aliased = without({tap});

  EXPECT_TRUE(aliased.has(tap));
  EXPECT_EQ(aliased.dataset(tap), "steps/000/text/layers/01/in");
  EXPECT_EQ(tests::differing(aliased.read(tap), whole->recording.read(tap)), 0);
  const auto spans = build_spans(whole->plan, aliased);
  const auto judged = [&](const Span& span) { return span.judged == std::vector<std::string>{tap}; };
  EXPECT_EQ(std::count_if(spans.begin(), spans.end(), judged), 1);
}

TEST_F(RecordingOf, OwnNameComesBeforeAnAlias) {
  EXPECT_EQ(whole->recording.dataset("steps/000/text/layers/00/out"), "steps/000/text/layers/00/out");
}

TEST_F(RecordingOf, WrongShapeNamesDatasetFoundAndExpected) {
  tests::Changes changes;
  changes.values["steps/001/text/final_norm/out"] = Tensor(DType::f64, {2, 1, 5}, "B,S,H");

  EXPECT_THAT(refusal(changes), AllOf(HasSubstr("steps/001/text/final_norm/out"), HasSubstr("(2, 1, 5)"),
                                      HasSubstr("(2, 1, 6)"), HasSubstr("B,S,H")));
}

/// The format allows rotary tables with extent 1 instead of B.
TEST_F(RecordingOf, RotaryTablesRecordedOnceStandForEverySequence) {
  tests::Changes changes;
  for (const char* table : {"steps/000/text/rope/cos", "steps/000/text/rope/sin"}) {
    const Tensor all = whole->recording.read(table);
    changes.values[table] = convert(slice(all.view(), 'B', 0, 1), all.dtype());
  }
  const Recording& once = change(changes);

  EXPECT_TRUE(once.mismatches().empty()) << once.mismatches().begin()->second.reason;
  for (const auto& [table, stored] : changes.values) {
    EXPECT_EQ(stored.shape().front(), 1);
    EXPECT_EQ(once.read(table).shape(), whole->plan.tap(table).shape);
    EXPECT_EQ(tests::differing(once.read(table), whole->recording.read(table)), 0);
  }
}

TEST_F(RecordingOf, OtherTapsMustBeRecordedForEverySequence) {
  tests::Changes changes;
  const Tensor norm = whole->recording.read("steps/001/text/final_norm/out");
  changes.values["steps/001/text/final_norm/out"] = convert(slice(norm.view(), 'B', 0, 1), norm.dtype());

  EXPECT_THAT(refusal(changes), AllOf(HasSubstr("steps/001/text/final_norm/out"), HasSubstr("(1, 1, 6)")));
}

TEST_F(RecordingOf, WrongTypeNamesDatasetFoundAndExpected) {
  const std::string norm = "steps/001/text/final_norm/out";
  const std::string ids = "steps/001/text/layers/01/moe/router/indices";
  tests::Changes narrow;
  narrow.values[norm] = Tensor(DType::f32, {2, 1, 6}, "B,S,H");
  tests::Changes real;
  real.values[ids] = Tensor(DType::f64, {2, 2}, "N,T");
  tests::Changes text;
  text.dropped = {norm};
  text.texts[norm] = "nothing";

  EXPECT_THAT(refusal(narrow), AllOf(HasSubstr(norm), HasSubstr("is f32"), HasSubstr("expected f64")));
  EXPECT_THAT(refusal(real), AllOf(HasSubstr(ids), HasSubstr("is f64"), HasSubstr("expected i64")));
  EXPECT_THAT(refusal(text), AllOf(HasSubstr(norm), HasSubstr("is text"), HasSubstr("expected f64")));
}

}  // namespace
}  // namespace parity::replay
