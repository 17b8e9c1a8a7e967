// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// End to end: choices of experts and blocks that are wrong, differ legitimately, or are not recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/golden_cases.hpp"

namespace parity::compare {
namespace {

using namespace tests;

/// Returns the records that do not pass when `tap` of m3-text-f32 has the given value.
std::set<std::string> broken(const std::string& tap, const Tensor& value, Mode mode) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.values[tap] = value;
  std::set<std::string> result;
  for (const Record& r : judge(copy_golden(kData / "m3-text-f32", scratch / "copy", changes), only(mode)).records) {
    if (r.status != Status::pass) result.insert(r.tap);
  }
  return result;
}

class Decisions : public ::testing::Test {
 protected:
  static constexpr const char* kIndices = "steps/000/text/layers/01/moe/router/indices";
  static constexpr const char* kWeights = "steps/000/text/layers/01/moe/router/weights";

  /// Returns the choice with the first token's first expert replaced by the expert of the lowest score.
  Tensor wrong_expert() const {
    const Tensor choice = file.read("steps/000/text/layers/01/moe/router/choice");
    int64_t worst = 0;
    for (int64_t e = 0; e < choice.shape().back(); ++e) {
      if (choice.view().value(e) < choice.view().value(worst)) worst = e;
    }
    return with_element(file.read(kIndices), 0, static_cast<double>(worst));
  }
  golden::ActivationFile file = golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5");
};

TEST_F(Decisions, ThatAreWrongFailWhereTheyAreMade) {
  const auto isolated = broken(kIndices, wrong_expert(), Mode::isolated);

  EXPECT_TRUE(isolated.contains(kIndices));
  EXPECT_FALSE(isolated.contains("steps/000/text/layers/01/moe/router/scores"));
}

TEST_F(Decisions, ThatBreakTheContractAreNotContinuedWithInAChain) {
  EXPECT_THAT(broken(kIndices, wrong_expert(), Mode::chained), ::testing::ElementsAre(kIndices));
}

TEST_F(Decisions, AreContinuedWithWhenForced) {
  const auto forced = broken(kIndices, wrong_expert(), Mode::forced);

  EXPECT_TRUE(forced.contains(kIndices));
  EXPECT_TRUE(forced.contains(kWeights)) << "the recorded weights belong to the true experts";
}

TEST_F(Decisions, InAnotherOrderOfSlotsAreAsGood) {
  Tensor ids = convert(file.read(kIndices).view(), DType::i64);
  Tensor weights = convert(file.read(kWeights).view(), DType::f32);
  auto* w = reinterpret_cast<float*>(weights.view().data);
  std::swap(ids.i64()[0], ids.i64()[1]);
  std::swap(w[0], w[1]);
  const TemporaryFolder scratch;
  Changes changes;
  changes.values = {{kIndices, ids}, {kWeights, weights}};
  changes.dropped = {"steps/000/*/experts/slot_*"};  // these depend on the slots
  const GoldenReport report = judge(copy_golden(kData / "m3-text-f32", scratch / "copy", changes));

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
}

TEST_F(Decisions, OfBlocksAreListsInOrder) {
  const std::string tap = "steps/000/text/layers/00/attention/indexer/block_indices";
  Tensor ids = convert(file.read(tap).view(), DType::i64);
  const int64_t last = ids.view().count() - ids.shape().back();
  std::swap(ids.i64()[last], ids.i64()[last + 4]);

  EXPECT_TRUE(broken(tap, ids, Mode::isolated).contains(tap));
}

/// An unrecorded decision excuses only the taps that depend on it.
TEST(OpenDecisions, DoNotExcuseTheRest) {
  const TemporaryFolder scratch;
  const std::string tap = "steps/000/text/layers/01/attention/o_proj/out";
  const auto file = golden::ActivationFile::open(kData / "m3-text-bf16" / "activations.h5");
  Changes changes;
  changes.dropped = {"*/layers/01/attention/indexer/block_*", "*/layers/01/attention/core/out"};
  EXPECT_EQ(judge(copy_golden(kData / "m3-text-bf16", scratch / "right", changes), only(Mode::isolated)).verdict,
            Status::pass);

  changes.values[tap] = tampered(file.read(tap));
  const GoldenReport report =
      judge(copy_golden(kData / "m3-text-bf16", scratch / "wrong", changes), only(Mode::isolated));
  EXPECT_EQ(report.verdict, Status::fail);
  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_EQ(report.first_divergence->tap, tap);
}

}  // namespace
}  // namespace parity::compare
