// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Only the rows pass a link that the receiver's experts need, and the others cannot be read.
#include "replay/ranks/row_exchange.hpp"

#include <cmath>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/sharding/rank_names.hpp"
#include "ranks/counting_communicator.hpp"
#include "ranks/thread_communicator.hpp"
#include "reference/reference.hpp"
#include "replay/ranks/ranked_run.hpp"

namespace parity::replay {
namespace {

using ::testing::ElementsAre;

/// Two ranks with two tokens each. Rank 0 has experts 0 and 1, rank 1 has 2 and 3; every token has two experts.
struct TwoRanks {
  Plan plan;
  Tensor ids{DType::i64, {4, 2}, "N,T"};

  TwoRanks() {
    plan.working = DType::f32;
    plan.sizes[0] = {{'B', 2}, {'S', 2}, {'E', 4}, {'T', 2}};
    const std::vector<int64_t> experts{0, 2, 0, 1, 1, 3, 2, 3};
    std::copy(experts.begin(), experts.end(), ids.i64());
    for (int64_t rank = 0; rank < 2; ++rank) {
      add("silu", rank, "x", {2, 1}, {});
      add("gather_ids", rank, "ids", {4, 2}, {});
      plan.taps.at(tap(rank, "ids")).type = TapType::index;
    }
    for (int64_t rank = 0; rank < 2; ++rank)
      add("dispatch", rank, "all", {4, 1}, {{"first", 2 * rank}, {"count", int64_t{2}}});
  }
  static std::string tap(int64_t rank, const std::string& name) { return rank_prefix(rank) + name; }
  [[nodiscard]] const Node& dispatch(int64_t rank) const { return plan.nodes[static_cast<size_t>(4 + rank)]; }
  /// What rank `rank` holds: its tokens 1 and 2 on rank 0, 3 and 4 on rank 1; and the ids of all.
  [[nodiscard]] Values held(int rank) const {
    Tensor own(DType::f32, {2, 1}, "N,H");
    for (int64_t n = 0; n < 2; ++n)
      store_element(DType::f32, own.view().data + 4 * n, static_cast<double>(1 + 2 * rank + n));
    return {{tap(rank, "x"), own}, {tap(rank, "ids"), ids}};
  }

 private:
  void add(const std::string& component, int64_t rank, const std::string& name, const Shape& shape, ParamMap params) {
    Node node;
    node.component = component;
    node.rank = static_cast<int>(rank);
    node.params = std::move(params);
    node.outputs["out"] = {Operand::Kind::tap, tap(rank, name), ""};
    if (component == "dispatch") {
      for (int64_t from = 0; from < 2; ++from) node.inputs["parts"].push_back({Operand::Kind::tap, tap(from, "x"), ""});
      node.inputs["indices"] = {{Operand::Kind::tap, tap(rank, "ids"), ""}};
    }
    plan.taps[tap(rank, name)] = {"N,H", shape, TapType::working, static_cast<int>(plan.nodes.size())};
    plan.nodes.push_back(std::move(node));
  }
};

struct Exchanged {
  std::map<int, Values> received;
  std::map<int, int64_t> bytes;
};

Exchanged exchanged(const TwoRanks& two) {
  const auto tags = message_tags(two.plan);
  Exchanged all;
  std::mutex mutex;
  ranks::run_threads(2, std::chrono::seconds(60), [&](ranks::Communicator& own) {
    ranks::CountingCommunicator counted(own);
    const RowExchange rows(two.plan, reference::registry(), counted, tags);
    const Values received =
        rows.exchange(two.dispatch(own.rank()), two.held(own.rank()), [](const Value& value) { return value.own(); });
    const std::scoped_lock lock(mutex);
    all.received[own.rank()] = received;
    for (const auto& [link, sent] : counted.sent()) all.bytes[own.rank()] += sent.bytes;
  });
  return all;
}

TEST(RowExchange, ReceivesTheRowsOfItsExpertsAndPoisonsTheOthers) {
  const Exchanged all = exchanged(TwoRanks());

  const TensorView& first =
      all.received.at(0).at("ranks/01/x").own().view();  // token 2 has expert 1, token 3 none of rank 0
  EXPECT_EQ(first.value(0), 3.0);
  EXPECT_TRUE(std::isnan(first.value(1)));
  const TensorView& second = all.received.at(1).at("ranks/00/x").own().view();  // token 0 has expert 2
  EXPECT_EQ(second.value(0), 1.0);
  EXPECT_TRUE(std::isnan(second.value(1)));
}

TEST(RowExchange, SendsNoOtherBytes) {
  const Exchanged all = exchanged(TwoRanks());

  EXPECT_EQ(all.bytes.at(0), 4);  // one row of one binary32 number each way
  EXPECT_EQ(all.bytes.at(1), 4);
}

TEST(SentRows, AreThoseOfTheReadersExperts) {
  const TwoRanks two;
  const SentRowsOf sent(two.plan, reference::registry());

  EXPECT_THAT(sent.rows(two.dispatch(0), 0, &two.ids.view()), ElementsAre(0, 1));
  EXPECT_THAT(sent.rows(two.dispatch(0), 1, &two.ids.view()), ElementsAre(0));
  EXPECT_THAT(sent.rows(two.dispatch(1), 1, &two.ids.view()), ElementsAre(0, 1));
}

TEST(SentRows, AreExpectedAsOftenAsAnEvenChoiceFallsToARank) {
  const TwoRanks two;
  const SentRowsOf sent(two.plan, reference::registry());

  EXPECT_DOUBLE_EQ(sent.expected(two.dispatch(0), 1), 2.0 * (1.0 - 2.0 / 4.0 * 1.0 / 3.0));  // two of four experts
  EXPECT_EQ(sent.row_bytes(two.dispatch(0), 1), 4);
}

}  // namespace
}  // namespace parity::replay
