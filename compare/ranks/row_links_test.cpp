// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The message of a collective of which ranks send each other single rows: which one arrived wrong.
#include <gtest/gtest.h>

#include "compare/ranks/link_search.hpp"
#include "compare/testing/rank_cases.hpp"
#include "core/sharding/rank_names.hpp"

namespace parity::compare {
namespace {

using tests::row_of;

/// Two ranks with two tokens each and one expert each, "x" of four numbers on each rank, and a collective on rank 1.
struct TwoRanks {
  Plan plan;
  std::map<std::string, Tensor> values;

  TwoRanks(const std::string& component, const ParamMap& params, const std::vector<int64_t>& ids) {
    plan.working = DType::f32;
    for (int64_t rank = 0; rank < 2; ++rank) {
      add_tap(rank_prefix(rank) + "x", {component == "dispatch" ? 2 : 4, 1}, TapType::working);
      values[rank_prefix(rank) + "x"] =
          component == "dispatch"
              ? row_of({1.0 + 2.0 * static_cast<double>(rank), 2.5 + static_cast<double>(rank)}, "N,H", {2, 1})
              : row_of({1.5, 2.5, 3.5 + static_cast<double>(rank), 4.5}, "N,H", {4, 1});
    }
    add_tap("ranks/01/ids", {4, 1}, TapType::index);
    values["ranks/01/ids"] = Tensor(DType::i64, {4, 1}, "N,T");
    std::copy(ids.begin(), ids.end(), values["ranks/01/ids"].i64());
    add_tap("ranks/01/y", {component == "dispatch" ? 4 : 2, 1}, TapType::working);
    Node& node = plan.nodes.back();
    node.component = component;
    node.params = params;
    node.inputs["parts"] = {{Operand::Kind::tap, "ranks/00/x", ""}, {Operand::Kind::tap, "ranks/01/x", ""}};
    if (component != "reduce_scatter") node.inputs["indices"] = {{Operand::Kind::tap, "ranks/01/ids", ""}};
  }
  /// Sets what rank 1 received, and searches.
  LinkFinding found(const std::vector<double>& received) {
    values["ranks/01/y"] = row_of(received, "N,H", {static_cast<int64_t>(received.size()), 1});
    const golden::SyntheticSource weights(1, {});
    const replay::Evaluator evaluator(reference::registry(), plan, weights);
    const replay::Overlay source(plan, nullptr, values);
    return search_link(*exchange_of(plan.nodes.back(), source), evaluator, source);
  }

 private:
  void add_tap(const std::string& tap, const Shape& shape, TapType type) {
    plan.taps[tap] = {type == TapType::index ? "N,T" : "N,H", shape, type, static_cast<int>(plan.nodes.size())};
    Node node;
    node.component = "silu";
    node.rank = static_cast<int>(rank_of_tap(tap));
    node.outputs["out"] = {Operand::Kind::tap, tap, ""};
    plan.nodes.push_back(node);
  }
};

TEST(RowLinks, OwnRowsOfASumThatLackATermNameItsSender) {
  TwoRanks two("reduce_scatter", {{"first_row", int64_t{2}}}, {0, 0, 0, 0});

  EXPECT_EQ(two.found({8.0, 9.0}).sender, -1);      // 3.5 + 4.5, 4.5 + 4.5
  const LinkFinding found = two.found({4.5, 4.5});  // the own term, 4.5 and 4.5, is left
  EXPECT_EQ(found.sender, 0);
  EXPECT_EQ(found.how, "zeros");
}

TEST(RowLinks, ACombinedTokenThatLacksATermNamesItsSender) {
  TwoRanks two("combine", {{"first_row", int64_t{2}}, {"count", int64_t{1}}}, {0, 0, 0, 1});

  EXPECT_EQ(two.found({3.5, 4.5}).sender, -1);  // token 2 has an expert of rank 0, token 3 of rank 1
  const LinkFinding found = two.found({0.0, 4.5});
  EXPECT_EQ(found.sender, 0);
  EXPECT_EQ(found.how, "zeros");
}

TEST(RowLinks, ADispatchedRowThatArrivedAsZerosNamesItsSender) {
  TwoRanks two("dispatch", {{"first", int64_t{1}}, {"count", int64_t{1}}}, {1, 0, 1, 0});

  EXPECT_EQ(two.found({1.0, 0.0, 3.0, 0.0}).sender, -1);  // tokens 0 and 2 have the expert
  const LinkFinding found = two.found({0.0, 0.0, 3.0, 0.0});
  EXPECT_EQ(found.sender, 0);
  EXPECT_EQ(found.how, "zeros");
}

}  // namespace
}  // namespace parity::compare
