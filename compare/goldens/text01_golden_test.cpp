// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tests that only the recordings of MiniMax-Text-01 can show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/golden_cases.hpp"
#include "core/plans/systems.hpp"
#include "reference/reference.hpp"

namespace parity::compare {
namespace {

using namespace tests;

TEST(Text01Golden, IsNotTheOriginalCodeWhichRotatesOtherChannels) {
  RunOptions original = only(Mode::isolated);
  original.profile = "original";  // rotary_dim is half of the head dimension
  const GoldenReport report = judge(kData / "text01-f32", original);

  EXPECT_EQ(report.verdict, Status::fail);
  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_EQ(report.first_divergence->tap, "steps/000/text/rope/cos");
}

TEST(Text01Golden, DecayTablesAreJudged) {
  const TemporaryFolder scratch;
  Changes changes;
  const std::string tap = "tables/text/layers/01/attention/key_decay";
  changes.values[tap] = tampered(golden::Golden::open(kData / "text01-bf16").activations().read(tap));
  const GoldenReport report =
      judge(copy_golden(kData / "text01-bf16", scratch / "text01-bf16", changes), only(Mode::isolated));

  EXPECT_EQ(report.verdict, Status::fail);
  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_EQ(report.first_divergence->tap, tap);
}

TEST(Text01Golden, StoredDecayTablesAreThoseOfTheFormula) {
  // The plan takes slopes from the checkpoint. This test compares them with the formula, rounded once.
  for (const char* name : {"text01-bf16", "text01-f32"}) {
    SCOPED_TRACE(name);
    const auto golden = golden::Golden::open(kData / name);
    PlanRequest request{golden.facts().profile, "eager", DType::f32, {{"000", 1, 1, 1, false, false}}, false};
    const Plan plan = build_plan(golden.facts().system, golden.config(), request);
    const replay::Evaluator evaluator(reference::registry(), plan, golden.weights());
    for (const Node& node : plan.nodes) {
      if (node.component != "lightning_tables") continue;
      const auto outcome = evaluator.run(node, {}, [](const std::string&) { return true; });
      for (const auto& [field, value] : outcome.outputs) {
        const TensorView stored =
            golden.weights().tensor(fmt::format("model.layers.{}.self_attn.{}", node.layer, field));
        ASSERT_EQ(stored.count(), value.rounded.view().count());
        for (int64_t i = 0; i < stored.count(); ++i)
          EXPECT_NEAR(stored.value(i), round_to(stored.dtype, value.rounded.view().value(i)),
                      2 * unit_roundoff(DType::f32) * stored.value(i))
              << field << " " << i;
      }
    }
  }
}

/// Returns the taps that fail when an input of the golden is replaced.
std::vector<std::string> failing(const std::string& name, const std::string& input, const Tensor& changed) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.values["steps/000/tokens/" + input] = changed;
  std::vector<std::string> taps;
  for (const Record& record : judge(copy_golden(kData / name, scratch / name, changes), only(Mode::isolated)).records) {
    if (record.status == Status::fail) taps.push_back(record.tap);
  }
  return taps;
}

TEST(Text01Golden, EveryHeadIsHeldToItsTargets) {
  const std::map<std::string, std::string> targets{{"text01-heads-sequence-f32", "labels"},
                                                   {"text01-heads-token-f32", "labels"},
                                                   {"text01-heads-question-f32", "end_positions"}};
  for (const auto& [name, input] : targets) {
    const Tensor recorded = golden::Golden::open(kData / name).activations().read("steps/000/tokens/" + input);
    const int64_t other = recorded.i64()[1] == 0 ? 1 : 0;

    EXPECT_EQ(failing(name, input, with_element(recorded, 1, static_cast<double>(other))),
              std::vector<std::string>{"steps/000/loss"})
        << name;
  }
}

TEST(Text01Golden, NumbersAsLabelsAreHeldToTheirLosses) {
  for (const char* name : {"text01-heads-number-f32", "text01-heads-labels-f32"}) {
    const Tensor recorded = golden::Golden::open(kData / name).activations().read("steps/000/tokens/labels");

    EXPECT_EQ(failing(name, "labels", with_element(recorded, 1, recorded.view().value(1) + 0.01)),
              std::vector<std::string>{"steps/000/loss"})
        << name;
  }
}

TEST(Text01Golden, AnswersOutsideTheSequenceAreIgnoredOrTheFirstPlace) {
  const std::string name = "text01-heads-question-f32";
  const golden::Golden golden = golden::Golden::open(kData / name);
  const Tensor start = golden.activations().read("steps/000/tokens/start_positions");
  const Tensor end = golden.activations().read("steps/000/tokens/end_positions");

  ASSERT_EQ(start.i64()[0], -1);
  EXPECT_THAT(failing(name, "start_positions", with_element(start, 0, 0)), ::testing::IsEmpty());
  ASSERT_GE(end.i64()[3], golden.steps()[0].S);
  EXPECT_THAT(failing(name, "end_positions", with_element(end, 3, 1000)), ::testing::IsEmpty());
}

TEST(Text01Golden, PaddingIsSeenBehindAnEmptyLayerZero) {
  // In a decode call the recorded softmax layer attends to the shorter sequence's padding. Leaving it out must fail.
  const auto golden = golden::Golden::open(kData / "text01-f32");
  const std::string tap = "steps/001/text/layers/01/attention/core/out";
  PlanRequest request{golden.facts().profile, "eager", DType::f32, {}, true};
  for (const golden::StepInfo& step : golden.steps())
    request.calls.push_back({step.id, step.B, step.S, step.K, step.has_labels, step.has_labels});
  Plan plan = build_plan(golden.facts().system, golden.config(), request);
  const auto judged = [&] {
    const replay::Evaluator evaluator(reference::registry(), plan, golden.weights());
    const replay::Recording recording(golden.activations(), plan);
    JudgeVisitor visitor(evaluator, {});
    replay::walk_isolated(evaluator, recording, replay::build_spans(plan, recording), visitor);
    for (const Record& record : visitor.take_records()) {
      if (record.tap == tap) return record.status;
    }
    return Status::not_recorded;
  };

  EXPECT_EQ(judged(), Status::pass);
  plan.nodes[static_cast<size_t>(plan.tap(tap).producer)].params["first_slot_masks"] = false;
  EXPECT_EQ(judged(), Status::fail);
}

}  // namespace
}  // namespace parity::compare
