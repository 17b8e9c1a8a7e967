// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/taint.hpp"

#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/plans/systems.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "reference/reference.hpp"
#include "replay/testing/synthetic_golden.hpp"

namespace parity::compare {
namespace {

/// Fixture of the tiny plan: two sequences, calls of 9, 1 and 2 tokens, routers in layers 1 and 2 (2 of 5 experts).
class TaintOf : public ::testing::Test {
 protected:
  [[nodiscard]] int node_of(const std::string& tap) const { return plan.tap(tap).producer; }

  /// Adds an evaluated router in which the choice of token n is too close to call.
  void add_open_token(const std::string& layer, int64_t n) {
    replay::Outcome outcome;
    outcome.node = &plan.nodes[static_cast<size_t>(node_of(layer + "moe/router/indices"))];
    outcome.definition = &reference::registry().component("router");
    const TapInfo& info = plan.tap(layer + "moe/router/choice");
    replay::TapValue scores{
        Tensor(DType::f64, info.shape), {}, Tensor(DType::f64, info.shape), Tensor(DType::f64, info.shape)};
    for (int64_t i = 0; i < scores.exact.view().count(); ++i) {
      scores.exact.f64()[i] = static_cast<double>(i % 5);
      scores.noise.f64()[i] = i / 5 == n ? 0.6 : 0.4;
    }
    scores.rounded = scores.exact;
    outcome.outputs["choice"] = scores;
    taint->add(outcome, "indices");
  }

  /// Returns the tainted tokens of a [B,S,H] tap as words "b:s".
  [[nodiscard]] std::string tokens(const std::string& tap, const std::vector<int>* span = nullptr) const {
    const TapInfo& info = plan.tap(tap);
    const auto elements = taint->elements(plan.nodes[static_cast<size_t>(info.producer)], info, span);
    std::string words;
    for (size_t i = 0; i < elements.size(); i += 6) {
      for (size_t h = 1; h < 6; ++h) EXPECT_EQ(elements[i], elements[i + h]) << "a token is tainted as a whole";
      const auto token = static_cast<int64_t>(i) / 6;
      if (elements[i])
        words += fmt::format("{}{}:{}", words.empty() ? "" : " ", token / info.shape[1], token % info.shape[1]);
    }
    return words;
  }

  Plan plan = build_plan("minimax_m3_vl", nlohmann::json::parse(replay::tests::kTinyConfig),
                         replay::tests::tiny_request(DType::f64));
  std::unique_ptr<Taint> taint = std::make_unique<Taint>(plan, reference::registry());
};

TEST_F(TaintOf, AClearDecisionIsNone) {
  add_open_token("steps/000/text/layers/01/", -1);

  EXPECT_EQ(tokens("steps/000/text/layers/01/out"), "");
}

TEST_F(TaintOf, AnOpenDecisionStaysWithItsTokenUntilAttention) {
  add_open_token("steps/000/text/layers/01/", 9 + 6);  // sequence 1, token 6

  EXPECT_EQ(tokens("steps/000/text/layers/01/moe/out"), "1:6");
  EXPECT_EQ(tokens("steps/000/text/layers/01/out"), "1:6");
  EXPECT_EQ(tokens("steps/000/text/layers/02/input_norm/out"), "1:6");
}

TEST_F(TaintOf, AttentionSpreadsItToLaterTokensOfTheSequence) {
  add_open_token("steps/000/text/layers/01/", 9 + 6);

  EXPECT_EQ(tokens("steps/000/text/layers/02/out"), "1:6 1:7 1:8");
  EXPECT_EQ(tokens("steps/001/text/layers/02/out"), "1:0") << "through the cache";
  EXPECT_EQ(tokens("steps/002/text/final_norm/out"), "1:0 1:1");
}

TEST_F(TaintOf, OnlyAttentionInsideTheSpanCounts) {
  add_open_token("steps/000/text/layers/01/", 6);
  const std::vector<int> span{
      node_of("steps/000/text/layers/01/moe/router/indices"), node_of("steps/000/text/layers/01/moe/out"),
      node_of("steps/000/text/layers/02/attention_residual/out"), node_of("steps/000/text/layers/02/out")};

  EXPECT_EQ(tokens("steps/000/text/layers/02/out"), "0:6 0:7 0:8");
  EXPECT_EQ(tokens("steps/000/text/layers/02/out", &span), "0:6");
}

TEST_F(TaintOf, SeveralDecisionsAddUp) {
  add_open_token("steps/000/text/layers/01/", 8);
  add_open_token("steps/000/text/layers/02/", 3);

  EXPECT_EQ(tokens("steps/000/text/layers/02/out"), "0:3 0:8");
}

TEST_F(TaintOf, CachesAreReachedByTheSequence) {
  add_open_token("steps/000/text/layers/01/", 9 + 6);
  const TapInfo& info = plan.tap("steps/001/text/layers/02/cache/k");  // two sequences
  const auto elements = taint->elements(plan.nodes[static_cast<size_t>(info.producer)], info, nullptr);
  const auto half = static_cast<std::ptrdiff_t>(elements.size() / 2);

  EXPECT_EQ(std::count(elements.begin(), elements.begin() + half, true), 0);
  EXPECT_EQ(std::count(elements.begin() + half, elements.end(), true), half);
}

TEST_F(TaintOf, FlatTokensAreThoseOfTheirSequence) {
  add_open_token("steps/000/text/layers/01/", 9 + 6);
  const TapInfo& info = plan.tap("steps/000/text/layers/01/moe/experts/out");                                  // (N, H)
  const auto elements = taint->elements(plan.nodes[static_cast<size_t>(info.producer)], info, nullptr);

  EXPECT_EQ(std::count(elements.begin(), elements.end(), true), 6);
  EXPECT_TRUE(elements[(9 + 6) * 6] && elements[(9 + 6) * 6 + 5]);
}

/// Rows gathered from other processes are not numbered like the tokens of this call.
TEST_F(TaintOf, LettersThatMeanSomethingElseAreReachedEverywhere) {
  add_open_token("steps/000/text/layers/01/", 3);
  const TapInfo& info = plan.tap("steps/000/text/layers/01/moe/experts/out");
  Node& node = plan.nodes[static_cast<size_t>(info.producer)];
  node.sizes['N'] = 99;

  const auto elements = taint->elements(node, info, nullptr);
  EXPECT_EQ(std::count(elements.begin(), elements.end(), false), 0);
  node.prefix = "steps/000/vision/image/layers/01";
  EXPECT_TRUE(taint->elements(node, info, nullptr).empty()) << "towers run before every choice";
}

TEST_F(TaintOf, AScalarIsReachedByAnyToken) {
  add_open_token("steps/000/text/layers/02/", 3);
  const TapInfo& info = plan.tap("steps/000/loss");

  EXPECT_EQ(taint->elements(plan.nodes[static_cast<size_t>(info.producer)], info, nullptr), std::vector<bool>{true});
}

/// regression: rows of a context-parallel rank were taken for the first rows of the call
TEST_F(TaintOf, ARankNumbersItsOwnTokens) {
  const std::string tap = "steps/000/text/layers/01/moe/experts/out";                                          // (N, H)
  const TapInfo whole = plan.tap(tap);
  Layout layout;
  layout.cp = 2;
  plan = sharded_plan(plan, layout, reference::registry());
  taint = std::make_unique<Taint>(plan, reference::registry());
  add_open_token("ranks/01/steps/000/text/layers/01/", 6 + 5);  // last of the tokens 3 to 8 of sequence 1
  Node& gathered = plan.nodes[static_cast<size_t>(node_of("ranks/01/" + tap))];
  gathered.sizes.clear();  // as a node that has gathered the rows of all ranks
  const auto elements = taint->elements(gathered, whole, nullptr);

  EXPECT_EQ(std::count(elements.begin(), elements.end(), true), 6);
  EXPECT_TRUE(elements[(9 + 8) * 6] && elements[(9 + 8) * 6 + 5]);
}

TEST_F(TaintOf, ClearedIsGone) {
  add_open_token("steps/000/text/layers/01/", 6);
  taint->clear();

  EXPECT_EQ(tokens("steps/000/text/layers/02/out"), "");
}

}  // namespace
}  // namespace parity::compare
