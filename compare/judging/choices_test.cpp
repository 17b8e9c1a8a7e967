// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/choices.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/reference.hpp"

namespace parity::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Fixture: a router that chooses one of 3 experts for N tokens in two sequences. The first two scores are `gap` apart.
class Routed : public ::testing::Test {
 protected:
  void evaluate(int64_t tokens, double gap, double delta) {
    node.component = "router";
    node.params["top_k"] = int64_t{1};
    outcome.node = &node;
    outcome.definition = &reference::registry().component("router");
    replay::TapValue scores{Tensor(DType::f64, {tokens, 3}), Tensor(DType::f64, {tokens, 3}),
                            Tensor(DType::f64, {tokens, 3}), Tensor(DType::f64, {tokens, 3})};
    for (int64_t n = 0; n < tokens; ++n) {
      scores.exact.f64()[3 * n] = scores.rounded.f64()[3 * n] = 10.0 + gap;
      scores.exact.f64()[3 * n + 1] = scores.rounded.f64()[3 * n + 1] = 10.0;
      std::fill_n(scores.noise.f64() + 3 * n, 3, delta);
    }
    outcome.outputs["choice"] = scores;
    ids = Tensor(DType::i64, {tokens, 1}, "N,T");
  }
  Record judged(bool inherited = false) const {
    Record record;
    record.axes = "N,T";
    record.shape = ids.shape();
    judge_choices(outcome, "indices", {{'S', ids.shape().front() / 2}, {'B', 2}}, inherited, ids, record);
    return record;
  }

  Node node;
  replay::Outcome outcome;
  Tensor ids;
};

TEST_F(Routed, CorrectChoicesPass) {
  evaluate(10, 1.0, 0.1);

  EXPECT_EQ(judged().status, Status::pass);
  EXPECT_EQ(judged().discrete->rows, 10);
  EXPECT_EQ(judged().discrete->must, 10);
  EXPECT_EQ(judged().discrete->must_not, 20);
  EXPECT_EQ(judged().elements, 10);
}

TEST_F(Routed, RowsThatNobodyComputedAreNotJudged) {
  evaluate(10, 1.0, 0.1);
  ids.i64()[3] = 2;
  Record record;
  record.axes = "N,T";
  record.shape = ids.shape();
  ChoiceRules rules;
  rules.uncomputed.assign(10, false);
  rules.uncomputed[3] = true;
  EXPECT_EQ(judged().status, Status::fail);

  judge_choices(outcome, "indices", {{'S', 5}, {'B', 2}}, false, ids, record, rules);

  EXPECT_EQ(record.status, Status::pass);
  EXPECT_EQ(record.uncomputed, 1);
  EXPECT_EQ(record.elements, 9);
  EXPECT_EQ(record.discrete->rows, 9);
}

TEST(OrderText, SaysWhatTheRowsHaveInCommon) {
  const auto rows = [](const std::vector<int64_t>& values) {
    Tensor ids(DType::i64, {2, 3}, "S,k");
    std::copy(values.begin(), values.end(), ids.i64());
    return ids;
  };

  EXPECT_EQ(order_text(rows({0, 2, 5, 1, 4, -1})), "the same set of ids, in ascending order");
  EXPECT_EQ(order_text(rows({5, 2, 0, 4, 1, -1})), "the same set of ids, in descending order");
  EXPECT_EQ(order_text(rows({0, 5, 2, 1, 4, -1})), "the same set of ids, in another order");
}

TEST_F(Routed, AnExpertAtMinusInfinityIsTheLastChoiceButOne) {
  evaluate(2, 1.0, 0.1);
  node.params["top_k"] = int64_t{3};
  for (int64_t n = 0; n < 2; ++n)
    outcome.outputs.at("choice").exact.f64()[3 * n + 1] = -std::numeric_limits<double>::infinity();
  ids = Tensor(DType::i64, {2, 3}, "N,T");
  for (int64_t i = 0; i < 6; ++i) ids.i64()[i] = i % 3;

  EXPECT_EQ(judged().status, Status::pass);
  EXPECT_EQ(judged().discrete->must, 6);
}

TEST_F(Routed, AViolationNamesSequenceTokenAndIds) {
  evaluate(10, 1.0, 0.1);
  ids.i64()[7] = 2;
  const Record record = judged();

  EXPECT_EQ(record.status, Status::fail);
  EXPECT_EQ(record.failed, 1);
  EXPECT_THAT(record.reason, HasSubstr("sequence 1, token 2: id 0 (score 11) must be chosen; the judged ids are [2]"));
  EXPECT_THAT(record.worst.index, ElementsAre(7, 0));
  EXPECT_EQ(record.where, "the one in token 7");
  EXPECT_EQ(record.budget_used, std::numeric_limits<double>::infinity());
}

TEST_F(Routed, OwnChoicesAreAcceptedWhateverTheScoresSay) {
  evaluate(10, 1.0, 0.1);
  std::fill_n(ids.i64(), 10, int64_t{2});
  Tensor others(DType::i64, {10, 1}, "N,T");
  outcome.own["indices"] = others;
  Record foreign = judged();
  outcome.own["indices"] = ids;
  Record own = judged();

  accept_own_choices(foreign);
  accept_own_choices(own);

  EXPECT_EQ(foreign.discrete->unequal, 10);
  EXPECT_EQ(foreign.status, Status::fail);
  EXPECT_EQ(own.discrete->unequal, 0);
  EXPECT_EQ(own.status, Status::pass);
}

/// Eight rows of choices, `unequal` of them other than the reference's.
Record chosen(int64_t unequal) {
  Discrete discrete;
  discrete.rows = 8;
  discrete.unequal = unequal;
  Record record;
  record.discrete = std::move(discrete);
  return record;
}

/// On operands that leave only one choice, a difference that elsewhere passes as a flip fails.
TEST(RequiredChoices, AreTheReferencesInEveryRow) {
  Record same = chosen(0), flipped = chosen(1);
  require_own_choices(same);
  require_own_choices(flipped);

  EXPECT_EQ(same.status, Status::pass);
  EXPECT_EQ(flipped.status, Status::fail);
  EXPECT_EQ(flipped.reason, "1 of 8 rows have other ids than the only correct choice");
}

TEST_F(Routed, FlipsWithinTheScoreErrorPass) {
  evaluate(10, 0.1, 1.0);  // nearly even scores: 4.75 flips are expected
  for (int64_t n = 0; n < 10; ++n) ids.i64()[n] = n % 2;

  EXPECT_EQ(judged().status, Status::pass) << judged().reason;
  EXPECT_EQ(judged().discrete->flips, 5);
  EXPECT_NEAR(judged().discrete->expected, 4.75, 1e-9);
}

TEST_F(Routed, MoreFlipsThanMarginsExplainFail) {
  evaluate(10, 1.99, 1.0);  // each flip is possible, but only 0.025 are expected
  ids.i64()[0] = 1;
  ids.i64()[1] = 1;
  EXPECT_EQ(judged().status, Status::pass) << "two may always happen";

  std::fill_n(ids.i64(), 10, 1);
  const Record record = judged();
  EXPECT_EQ(record.status, Status::fail);
  EXPECT_EQ(record.discrete->violations, 0);
  EXPECT_THAT(record.reason, HasSubstr("10 rows have other ids where scores nearly tie"));
}

TEST_F(Routed, InheritedDriftWidensTheMargin) {
  evaluate(10, 1.0, 0.01);
  ids.i64()[0] = 1;
  outcome.outputs["choice"].rounded.f64()[29] += 0.25;  // the drift of another token: one row's may be small by chance
  EXPECT_EQ(judged(false).status, Status::fail);
  EXPECT_EQ(judged(true).status, Status::pass) << judged(true).reason;

  outcome.outputs["choice"].rounded.f64()[29] -= 0.15;  // 4 times 0.1 on both sides is not enough
  EXPECT_EQ(judged(true).status, Status::fail);
}

/// Index selection keeps 2 of 4 blocks of 2 slots, always the query's own. One sequence, queries at 5 and 7.
TEST(Selected, BlocksCountTheLocalOneAsForced) {
  Node node;
  node.component = "index_select";
  node.params = {{"top_k", int64_t{2}}, {"block_size", int64_t{2}}, {"local_blocks", int64_t{1}}};
  replay::Outcome outcome;
  outcome.node = &node;
  outcome.definition = &reference::registry().component("index_select");
  replay::TapValue scores{Tensor(DType::f64, {1, 2, 4}), {}, {}, {}};
  const double nothing = -std::numeric_limits<double>::infinity();
  const std::vector<double> values{3, 2, 1, nothing, 3, 2, 4, 1};
  std::copy(values.begin(), values.end(), scores.exact.f64());
  scores.rounded = scores.exact;
  replay::TapValue positions{Tensor(DType::i64, {1, 2}), {}, {}, {}};
  positions.exact.i64()[0] = 5;
  positions.exact.i64()[1] = 7;
  outcome.inputs = {{"block_scores", &scores}, {"positions", &positions}};
  std::vector<ChoiceRow> rows;
  for_each_choice(outcome, "blocks", {{'B', 1}, {'S', 2}}, false, [&](const ChoiceRow& row) { rows.push_back(row); });

  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].token, 1);
  EXPECT_FALSE(judge_list(rows[0].choice, {2, 0}).violated);
  EXPECT_TRUE(judge_list(rows[0].choice, {0, 1}).violated);
  EXPECT_FALSE(judge_list(rows[1].choice, {3, 2}).violated);
  EXPECT_TRUE(judge_list(rows[1].choice, {2, 0}).violated);
}

}  // namespace
}  // namespace parity::compare
