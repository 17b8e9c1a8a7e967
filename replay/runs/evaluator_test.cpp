// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/evaluator.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/components/index/index_select.hpp"
#include "core/components/norm/residual_add.hpp"
#include "core/components/router/router.hpp"
#include "golden/files/safetensors.hpp"
#include "golden/files/temporary_folder.hpp"
#include "reference/reference.hpp"
#include "replay/testing/golden_copy.hpp"

namespace parity::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A kernel that writes nothing.
template <class C>
void forgetful(const typename C::Inputs&, const typename C::Params&, const typename C::Outputs&, Context&) {}

/// Fixture with one node without checkpoint parameters. `input` adds its input taps.
class Evaluated : public ::testing::Test {
 protected:
  Evaluated() {
    golden::write_safetensors(scratch / "model.safetensors", {});
    checkpoint.emplace(golden::SafetensorsSource::open(scratch.path()));
    plan.working = DType::bf16;
    plan.sizes[0] = {{'B', 1}, {'S', 1}, {'N', 1}, {'H', 2}, {'J', 3}, {'T', 2}, {'E', 3}};
    node.prefix = "steps/000/node";
  }
  void input(const std::string& field, const std::string& axes, const std::vector<double>& values, TapType type) {
    Shape shape = shape_of(axes, plan.sizes[0]);
    Tensor value(type == TapType::index ? DType::i64 : DType::f64, shape, axes);
    for (size_t i = 0; i < values.size(); ++i) {
      store_element(value.dtype(), value.view().data + 8 * i, values[i]);
    }
    plan.taps[field] = {axes, shape, type, -1};
    node.inputs[field] = {{Operand::Kind::tap, field, ""}};
    taps[field] = {value, value, {}, {}};
  }
  void output(const std::string& field, const std::string& axes, TapType type) {
    plan.taps["out/" + field] = {axes, shape_of(axes, plan.sizes[0]), type, 0};
    node.outputs[field] = {Operand::Kind::tap, "out/" + field, ""};
  }
  Outcome run(const Registry& registry, Evaluator::Lanes lanes = Evaluator::Lanes::both) {
    evaluator.emplace(registry, plan, *checkpoint);
    return evaluator->run(
        node, taps, [](const std::string&) { return false; }, lanes);
  }
  void add_two() {
    node.component = "residual_add";
    input("residual", "S,H", {1.0, 256.0}, TapType::working);
    input("branch", "S,H", {2.0, 1.0}, TapType::working);  // 257 is not a bf16 number
    output("out", "S,H", TapType::working);
  }
  static std::vector<double> values(const Tensor& t) { return {t.f64(), t.f64() + t.view().count()}; }
  static std::vector<int64_t> ids(const Tensor& t) { return {t.i64(), t.i64() + t.view().count()}; }

  golden::TemporaryFolder scratch;
  std::optional<golden::SafetensorsSource> checkpoint;
  Plan plan;
  Node node;
  Environment taps;
  std::optional<Evaluator> evaluator;
};

TEST_F(Evaluated, NodesWhoseRoundingPointIsMisspeltAreInError) {
  add_two();
  plan.rounding = {{"residual_add.ot", Precision::exact}, {"rms_norm.nothing", Precision::exact}};

  EXPECT_THAT([&] { static_cast<void>(run(reference::registry())); },
              ::testing::ThrowsMessage<Error>(HasSubstr("component residual_add has no rounding point 'ot'")));
}

TEST_F(Evaluated, NodesHaveAnExactARoundedLaneAndBounds) {
  add_two();
  const Outcome outcome = run(reference::registry());
  const TapValue& sum = outcome.outputs.at("out");

  EXPECT_THAT(values(sum.exact), ElementsAre(3.0, 257.0));
  EXPECT_THAT(values(sum.rounded), ElementsAre(3.0, 256.0));
  EXPECT_GE(sum.rounding.f64()[1], 1.0);
  EXPECT_EQ(outcome.inputs.at("branch"), &taps.at("branch"));
}

TEST_F(Evaluated, NodesMayHaveTheRoundedLaneOnly) {
  add_two();
  const Outcome outcome = run(reference::registry(), Evaluator::Lanes::rounded);

  EXPECT_THAT(values(outcome.outputs.at("out").exact), ElementsAre(3.0, 256.0));
}

TEST_F(Evaluated, ElementsThatNobodyWritesAreNaN) {
  Registry registry;
  registry.add<ResidualAdd>("reference", "rounded", &forgetful<ResidualAdd>);
  registry.add<ResidualAdd>("reference", "bounded", &forgetful<ResidualAdd>);
  add_two();
  const Outcome outcome = run(registry);

  for (const Tensor& lane : {outcome.outputs.at("out").exact, outcome.outputs.at("out").rounded}) {
    for (const double x : values(lane)) EXPECT_TRUE(std::isnan(x));
  }
}

/// A kernel that writes one element before its output (-1) or behind it (2).
template <int64_t kAt>
void straying(const ResidualAdd::Inputs&, const ResidualAdd::Params&, const ResidualAdd::Outputs& out, Context&) {
  reinterpret_cast<double*>(out.out.data)[kAt] = 1.0;
}

template <int64_t kAt>
std::string refusal_of_straying(const std::function<Outcome(const Registry&)>& run) {
  Registry registry;
  registry.add<ResidualAdd>("reference", "rounded", &straying<kAt>);
  registry.add<ResidualAdd>("reference", "bounded", &straying<kAt>);
  try {
    (void)run(registry);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST_F(Evaluated, WritesBesideAnOutputAreAnError) {
  add_two();
  const auto evaluate = [&](const Registry& registry) { return run(registry); };

  EXPECT_THAT(refusal_of_straying<2>(evaluate), HasSubstr("writes outside its output out"));
  EXPECT_THAT(refusal_of_straying<-1>(evaluate), HasSubstr("writes outside its output out"));
  EXPECT_EQ(refusal_of_straying<1>(evaluate), "accepted");
}

TEST_F(Evaluated, IdsThatNobodyWritesAreAbsurd) {
  Registry registry;
  registry.add<IndexSelect>("reference", "rounded", &forgetful<IndexSelect>);
  registry.add<IndexSelect>("reference", "bounded", &forgetful<IndexSelect>);
  node.component = "index_select";
  input("block_scores", "B,S,J", {3, 1, 2}, TapType::single);
  input("positions", "B,S", {2}, TapType::index);
  output("blocks", "B,S,T", TapType::index);

  EXPECT_THAT(ids(run(registry).own.at("blocks")), ElementsAre(INT64_MIN, INT64_MIN));
}

TEST_F(Evaluated, ErrorsNameTheNode) {
  node.component = "index_select";
  node.params = {{"block_size", int64_t{1}}, {"top_k", int64_t{2}}, {"local_blocks", int64_t{1}}};
  input("block_scores", "B,S,J", {3, 1, 2}, TapType::single);
  input("positions", "B,S", {99}, TapType::index);
  output("blocks", "B,S,T", TapType::index);

  try {
    (void)run(reference::registry());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("steps/000/node (index_select): position 99"));
  }
}

/// A router's weights follow ids that are forced. `own` keeps the ids that the router would choose.
TEST_F(Evaluated, ForcedDecisionsReachWhatDependsOnThem) {
  node.component = "router";
  node.params["top_k"] = int64_t{2};
  input("logits", "N,E", {0.0, 2.0, -1.0}, TapType::working);
  input("bias", "E", {0.0, 0.0, 0.0}, TapType::single);
  for (const char* field : {"scores", "choice"}) output(field, "N,E", TapType::single);
  output("indices", "N,T", TapType::index);
  output("weights", "N,T", TapType::single);
  Outcome outcome = run(reference::registry());
  EXPECT_THAT(ids(outcome.outputs.at("indices").exact), ElementsAre(1, 0));
  Tensor forced(DType::i64, {1, 2}, "N,T");
  forced.i64()[0] = 2;
  evaluator->force(outcome, "indices", forced, taps);

  const double a = 1.0 / (1.0 + std::exp(1.0));
  EXPECT_THAT(ids(outcome.outputs.at("indices").exact), ElementsAre(2, 0));
  EXPECT_THAT(ids(outcome.outputs.at("indices").rounded), ElementsAre(2, 0));
  EXPECT_NEAR(outcome.outputs.at("weights").exact.f64()[0], a / (a + 0.5), 1e-12);
  EXPECT_NEAR(outcome.outputs.at("weights").rounded.f64()[0], a / (a + 0.5), 1e-6);
  EXPECT_THAT(ids(outcome.own.at("indices")), ElementsAre(1, 0));
}

}  // namespace
}  // namespace parity::replay
