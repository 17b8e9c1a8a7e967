// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/spans/walk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/files/temporary_folder.hpp"
#include "replay/testing/collector.hpp"
#include "replay/testing/golden_copy.hpp"
#include "replay/testing/synthetic_golden.hpp"

namespace parity::replay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kMoePrefix = "steps/000/text/layers/01/moe/";

class Walks : public ::testing::Test {
 protected:
  void SetUp() override { tests::write_tiny_golden(scratch / "whole"); }

  const tests::Opened& open(const tests::Changes& changes = {}) {
    opened.reset();
    std::filesystem::remove_all(scratch / "copy");
    return opened.emplace(tests::copy_golden(scratch / "whole", scratch / "copy", changes));
  }

  static void expect_recorded_bits(const tests::Collector& walk) {
    EXPECT_THAT(walk.failures, IsEmpty());
    for (const auto& [tap, seen] : walk.seen) {
      EXPECT_EQ(tests::differing(seen.exact, seen.recorded), 0) << tap;
      EXPECT_EQ(tests::differing(seen.rounded, seen.recorded), 0) << tap;
    }
  }

  /// Replaces the expert in the first slot of the first token by one that was not chosen.
  tests::Changes other_expert() {
    const auto file = golden::ActivationFile::open(scratch / "whole" / "activations.h5");
    const Tensor ids = file.read(std::string(kMoePrefix) + "router/indices");
    int64_t other = 0;
    while (other == ids.i64()[0] || other == ids.i64()[1]) ++other;
    tests::Changes changes;
    changes.values[std::string(kMoePrefix) + "router/indices"] =
        tests::with_element(ids, 0, static_cast<double>(other));
    return changes;
  }

  golden::TemporaryFolder scratch;
  std::optional<tests::Opened> opened;
};

TEST_F(Walks, IsolatedRepeatsTheReferencesOwnGoldenBitForBit) {
  const auto walk = open().isolated();

  expect_recorded_bits(walk);
  size_t outputs = 0;
  for (const auto& [tap, info] : opened->plan.taps) outputs += info.producer >= 0 && opened->recording.has(tap) ? 1 : 0;
  EXPECT_EQ(walk.seen.size(), outputs);
}

TEST_F(Walks, ChainedRepeatsItTooButForTheRotaryTablesThatItTakes) {
  const auto isolated = open().isolated();
  const auto chained = opened->chained(true);

  expect_recorded_bits(chained);
  for (const auto& [tap, seen] : isolated.seen) {
    const bool table = tap.ends_with("rope/cos") || tap.ends_with("rope/sin");
    EXPECT_EQ(chained.seen.contains(tap), !table) << tap;
    EXPECT_EQ(table ? 0 : tests::differing(chained.seen.at(tap).exact, seen.exact), 0) << tap;
  }
}

TEST_F(Walks, SpansRepeatWhatTheirInnerNodesWould) {
  tests::Changes changes;
  changes.dropped = {"*/attention/*", "*/mlp/*", "*/moe/*", "*_norm/out"};
  const auto walk = open(changes).isolated();

  expect_recorded_bits(walk);
  const auto& end = walk.seen.at("steps/000/text/layers/01/out");
  EXPECT_EQ(end.span.size(), 9U) << "norm, three of the shared expert, logits, router, experts, combine, add";
  EXPECT_TRUE(end.inherited);
  EXPECT_FALSE(walk.seen.at("steps/000/text/embed/out").inherited);
}

TEST_F(Walks, IsolatedErrorsStayWhereTheyAre) {
  const std::string tap = "steps/000/text/layers/01/attention_residual/out";
  tests::Changes changes;
  const auto whole = golden::ActivationFile::open(scratch / "whole" / "activations.h5");
  changes.values[tap] = tests::with_element(whole.read(tap), 7, 100.0);
  const auto walk = open(changes).isolated();

  EXPECT_EQ(tests::differing(walk.seen.at(tap).exact, walk.seen.at(tap).recorded), 1);
  EXPECT_EQ(tests::differing(walk.seen.at("steps/000/text/layers/00/out").exact,
                             walk.seen.at("steps/000/text/layers/00/out").recorded),
            0);
  EXPECT_NE(tests::differing(walk.seen.at("steps/000/text/layers/01/out").exact,
                             walk.seen.at("steps/000/text/layers/01/out").recorded),
            0)
      << "its reader works on the recorded value";
  EXPECT_EQ(tests::differing(walk.seen.at("steps/000/text/layers/02/input_norm/out").exact,
                             walk.seen.at("steps/000/text/layers/02/input_norm/out").recorded),
            0);
}

TEST_F(Walks, ContinueWithTheRecordedDecisionWhenTold) {
  const auto walk = open(other_expert()).chained(true);

  for (const char* dependent : {"router/weights", "experts/out"}) {
    const auto& seen = walk.seen.at(std::string(kMoePrefix) + dependent);
    EXPECT_NE(tests::differing(seen.exact, seen.recorded), 0) << dependent;
    EXPECT_NE(tests::differing(seen.rounded, seen.recorded), 0) << dependent;
  }
  EXPECT_EQ(tests::differing(walk.seen.at(std::string(kMoePrefix) + "router/scores").exact,
                             walk.seen.at(std::string(kMoePrefix) + "router/scores").recorded),
            0);
}

TEST_F(Walks, ContinueWithTheirOwnDecisionWhenTold) {
  const auto walk = open(other_expert()).chained(false);

  for (const auto& [tap, seen] : walk.seen) {
    const int64_t expected = tap == std::string(kMoePrefix) + "router/indices" ? 1 : 0;
    EXPECT_EQ(tests::differing(seen.exact, seen.recorded), expected) << tap;
  }
}

TEST_F(Walks, ReportDecisionsThatNothingRecords) {
  tests::Changes changes;
  changes.dropped = {"*/router/*", "*/block_indices"};
  const auto isolated = open(changes).isolated();
  const auto chained = opened->chained(true);

  expect_recorded_bits(isolated);
  expect_recorded_bits(chained);
  for (const char* tap : {"moe/router/indices", "attention/indexer/block_indices"}) {
    EXPECT_THAT(isolated.undecided_taps, Contains(std::string("steps/001/text/layers/01/") + tap));
    EXPECT_THAT(chained.undecided_taps, Contains(std::string("steps/001/text/layers/01/") + tap));
  }
  EXPECT_THAT(open().isolated().undecided_taps, IsEmpty());
}

TEST_F(Walks, ABinary64ChainTakesTheRecordedRotaryTables) {
  const auto whole = golden::ActivationFile::open(scratch / "whole" / "activations.h5");
  tests::Changes changes;
  changes.values["steps/000/text/rope/cos"] = tests::with_element(whole.read("steps/000/text/rope/cos"), 0, 0.5);
  const auto walk = open(changes).chained(true);

  const auto& rotated = walk.seen.at("steps/000/text/layers/00/attention/q_rope/out");
  EXPECT_NE(tests::differing(rotated.exact, rotated.recorded), 0);
}

class DamagedWalks : public Walks {
 protected:
  const tests::Opened& open_with_absurd_token() {
    const auto whole = golden::ActivationFile::open(scratch / "whole" / "activations.h5");
    tests::Changes changes;
    changes.values[kIds] = tests::with_element(whole.read(kIds), 1, 1e6);
    return open(changes);
  }
  static constexpr const char* kIds = "steps/001/tokens/input_ids";
};

TEST_F(DamagedWalks, IsolatedGoesOnBehindASpanThatCannotBeEvaluated) {
  const size_t whole = open().isolated().seen.size();
  const auto walk = open_with_absurd_token().isolated();

  ASSERT_EQ(walk.failures.size(), 1U);
  EXPECT_EQ(walk.failures.begin()->first, "steps/001/text/embed/out");
  EXPECT_THAT(walk.failures.begin()->second, AllOf(HasSubstr("token id 1000000"), HasSubstr("vocabulary of 11")));
  EXPECT_EQ(walk.seen.size(), whole - 1);
}

TEST_F(DamagedWalks, ChainedStopsWhereItCannotGoOn) {
  const auto walk = open_with_absurd_token().chained(true);

  ASSERT_EQ(walk.failures.size(), 1U);
  EXPECT_THAT(walk.failures.begin()->second, HasSubstr("token id 1000000"));
  for (const auto& [tap, seen] : walk.seen) EXPECT_THAT(tap, ::testing::StartsWith("steps/000/"));
}

TEST_F(DamagedWalks, AbsurdDecisionsAreJudgedAndDoNoHarm) {
  const auto whole = golden::ActivationFile::open(scratch / "whole" / "activations.h5");
  tests::Changes changes;
  for (const char* tap :
       {"steps/000/text/layers/01/moe/router/indices", "steps/000/text/layers/01/attention/indexer/block_indices"}) {
    Tensor ids = whole.read(tap);
    for (int64_t i = 0; i < ids.view().count(); ++i) ids.i64()[i] = i % 2 == 0 ? INT64_MAX : INT64_MIN;
    changes.values[tap] = ids;
  }
  open(changes);

  EXPECT_THAT(opened->isolated().failures, IsEmpty());
  EXPECT_THAT(opened->chained(true).failures, IsEmpty());
  EXPECT_THAT(opened->chained(false).failures, IsEmpty());
}

struct WorkingSets : tests::Collector {
  std::map<std::string, int64_t> bytes;  // key: prefix of the last node
  void working_set(int64_t size, const std::string& where) override { bytes[where] = size; }
};

TEST(WalkIsolated, ASpanHoldsWhatItsNodesStillReadAndNoMore) {
  const golden::TemporaryFolder scratch;
  tests::write_tiny_golden(scratch / "whole");
  tests::Changes changes;
  changes.dropped = {"steps/000/text/layers/*", "steps/000/text/final_norm/out"};  // leaves one span up to the logits
  const tests::Opened opened(tests::copy_golden(scratch / "whole", scratch / "copy", changes));
  const auto spans = build_spans(opened.plan, opened.recording);
  WorkingSets sets;
  walk_isolated(opened.evaluator, opened.recording, spans, sets);

  const auto span = std::find_if(spans.begin(), spans.end(), [](const Span& s) {
    return s.judged == std::vector<std::string>{"steps/000/text/lm_head/out"};
  });
  ASSERT_NE(span, spans.end());
  int64_t everything = 0;
  for (const int node : span->nodes) {
    for (const auto& [field, output] : opened.plan.nodes[static_cast<size_t>(node)].outputs)
      everything += 4 * size_of(DType::f64) * element_count(opened.plan.tap(output.name).shape);
  }
  EXPECT_TRUE(sets.failures.empty());
  EXPECT_GT(span->nodes.size(), 50U);
  EXPECT_LT(sets.bytes.at("steps/000/text/lm_head"), everything / 3);
}

}  // namespace
}  // namespace parity::replay
