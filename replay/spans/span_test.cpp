// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/spans/span.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/files/temporary_folder.hpp"
#include "replay/testing/collector.hpp"
#include "replay/testing/golden_copy.hpp"
#include "replay/testing/synthetic_golden.hpp"

namespace parity::replay {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

class Spans : public ::testing::Test {
 protected:
  void SetUp() override { tests::write_tiny_golden(scratch / "whole"); }

  /// Builds the spans of the golden without the datasets that match one of `globs`.
  void build(const std::set<std::string>& globs) {
    tests::Changes changes;
    changes.dropped = globs;
    opened.emplace(tests::copy_golden(scratch / "whole", scratch / "copy", changes));
    spans = build_spans(opened->plan, opened->recording);
  }

  [[nodiscard]] std::vector<std::string> judged() const {
    std::vector<std::string> taps;
    for (const Span& span : spans) taps.insert(taps.end(), span.judged.begin(), span.judged.end());
    return taps;
  }
  [[nodiscard]] const Span& span_of(const std::string& tap) const {
    for (const Span& span : spans) {
      if (std::find(span.judged.begin(), span.judged.end(), tap) != span.judged.end()) return span;
    }
    throw Error(ErrorCode::not_found, tap + " is not judged");
  }
  [[nodiscard]] int producer(const std::string& tap) const { return opened->plan.tap(tap).producer; }

  golden::TemporaryFolder scratch;
  std::optional<tests::Opened> opened;
  std::vector<Span> spans;
};

TEST_F(Spans, AreSingleNodesWhenEverythingIsRecorded) {
  build({});

  ASSERT_EQ(spans.size(), opened->plan.nodes.size());
  for (size_t i = 0; i < spans.size(); ++i) EXPECT_EQ(spans[i].nodes, std::vector<int>{static_cast<int>(i)});
}

TEST_F(Spans, GrowOverAMissingTapAndKeepTheOthersJudged) {
  const std::string missing = "steps/000/text/layers/01/post_attention_norm/out";
  build({});
  auto expected = judged();
  expected.erase(std::find(expected.begin(), expected.end(), missing));

  opened.reset();
  std::filesystem::remove_all(scratch / "copy");
  build({missing});

  EXPECT_THAT(judged(), UnorderedElementsAreArray(expected));
  EXPECT_THAT(span_of("steps/000/text/layers/01/moe/router/logits").nodes,
              ::testing::ElementsAre(producer(missing), producer("steps/000/text/layers/01/moe/router/logits")));
}

TEST_F(Spans, ShareAnInnerNodeThatSeveralRecordedNodesNeed) {
  const std::string missing = "steps/000/text/layers/01/post_attention_norm/out";

  build({missing});

  for (const char* reader : {"moe/router/logits", "moe/shared/gate_up/out", "moe/experts/out"}) {
    EXPECT_THAT(span_of(std::string("steps/000/text/layers/01/") + reader).nodes, Contains(producer(missing)))
        << reader;
  }
}

TEST_F(Spans, AreJudgedAtTheirLastNode) {
  build({"*/attention/*", "*/moe/*"});

  for (const Span& span : spans) {
    EXPECT_TRUE(std::is_sorted(span.nodes.begin(), span.nodes.end()));
    for (const std::string& tap : span.judged) EXPECT_EQ(producer(tap), span.nodes.back()) << tap;
  }
}

TEST_F(Spans, ReadExactlyTheAvailableBoundary) {
  build({"*/attention/*", "*/moe/*", "*/mlp/*", "*norm/out", "steps/001/*/cache/*"});

  bool several = false;
  for (const Span& span : spans) {
    std::set<std::string> wanted;
    for (const int node : span.nodes) {
      for (const auto& [field, operands] : opened->plan.nodes[static_cast<size_t>(node)].inputs) {
        for (const Operand& operand : operands) {
          if (operand.kind != Operand::Kind::tap) continue;
          if (opened->recording.available(operand.name))
            wanted.insert(operand.name);
          else
            EXPECT_THAT(span.nodes, Contains(producer(operand.name))) << operand.name;
        }
      }
    }
    EXPECT_THAT(span.inputs, UnorderedElementsAreArray(wanted));
    several = several || span.nodes.size() > 5;
  }
  EXPECT_TRUE(several) << "the case is too easy";
}

TEST_F(Spans, TakeAHistoryFromItsPartsInsteadOfWalkingThePast) {
  build({"*/cache/*"});

  const Span& span = span_of("steps/002/text/layers/01/attention/core/out");

  EXPECT_THAT(span.inputs,
              IsSubsetOf({"steps/002/text/layers/01/attention/q_rope/out", "steps/002/text/layers/01/cache/k",
                          "steps/002/text/layers/01/cache/v", "steps/002/tokens/attention_mask",
                          "steps/002/text/layers/01/attention/indexer/block_indices"}));
  EXPECT_EQ(span.nodes.size(), 1U);
}

TEST_F(Spans, DoNotCutThePastOfACacheFromThatCache) {
  // Of this layer, the last call's cache alone is recorded: compared with slots cut from itself, it could not fail.
  build({"*/k_rope/out", "*/v_proj/out", "steps/000/*/cache/*", "steps/001/*/cache/*"});
  const std::string cache = "text/layers/01/cache/k";

  const Span& span = span_of("steps/002/" + cache);

  EXPECT_THAT(span.nodes, IsSupersetOf({producer("steps/000/" + cache), producer("steps/001/" + cache)}));
  EXPECT_THAT(span.inputs, Not(Contains(HasSubstr("/cache/"))));
}

TEST_F(Spans, NameTheMissingObligatoryTap) {
  const tests::Opened whole(scratch / "whole");
  tests::Changes changes;
  changes.dropped = {"steps/001/tokens/position_ids"};
  (void)tests::Copy(whole.golden.activations(), scratch / "without.h5", changes);
  const auto file = golden::ActivationFile::open(scratch / "without.h5");
  const Recording recording(file, whole.plan);

  try {
    (void)build_spans(whole.plan, recording);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("required tap steps/001/tokens/position_ids is missing"));
  }
}

}  // namespace
}  // namespace parity::replay
