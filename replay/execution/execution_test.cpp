// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/execution.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/components/norm/residual_add.hpp"
#include "golden/files/temporary_folder.hpp"
#include "replay/captures/capture_writer.hpp"
#include "replay/captures/overlay.hpp"
#include "replay/testing/collector.hpp"
#include "replay/testing/golden_copy.hpp"
#include "replay/testing/synthetic_golden.hpp"

namespace parity::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Mode = Execution::Mode;

class NoWeights : public WeightSource {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {}; }
  [[nodiscard]] bool contains(const std::string&) const override { return false; }
  [[nodiscard]] TensorView tensor(const std::string& name) const override { throw Error(ErrorCode::not_found, name); }
};

Node node_of(const std::string& component, const std::string& prefix,
             const std::vector<std::pair<std::string, std::string>>& inputs) {
  Node node{component, prefix, {}, {{"out", {Operand::Kind::tap, prefix + "/out", {}}}}, {}, {}};
  for (const auto& [field, tap] : inputs) node.inputs[field] = {{Operand::Kind::tap, tap, {}}};
  return node;
}

/// Returns a plan in bf16: first = a + b, act = silu(first), second = act + a.
Plan three_nodes() {
  Plan plan;
  plan.working = DType::bf16;
  plan.sizes[0] = {{'B', 1}, {'S', 1}, {'H', 4}};
  plan.nodes = {node_of("residual_add", "first", {{"residual", "a"}, {"branch", "b"}}),
                node_of("silu", "act", {{"x", "first/out"}}),
                node_of("residual_add", "second", {{"residual", "act/out"}, {"branch", "a"}})};
  for (const char* input : {"a", "b"}) plan.taps[input] = {"B,S,H", {1, 1, 4}};
  for (int node = 0; node < 3; ++node)
    plan.taps[plan.nodes[static_cast<size_t>(node)].prefix + "/out"] = {"B,S,H", {1, 1, 4}, TapType::working, node};
  return plan;
}

Tensor numbers(double first) {
  const Tensor wide(DType::f64, {1, 1, 4}, "B,S,H");
  for (int64_t i = 0; i < 4; ++i) wide.f64()[i] = first + static_cast<double>(i);
  return convert(wide.view(), DType::bf16);
}

std::vector<double> values_of(const Tensor& tensor) {
  const Tensor wide = widen(tensor);
  return {wide.f64(), wide.f64() + wide.view().count()};
}

/// A native sum that is off by 8, to distinguish it from the reference's.
void add(const ResidualAdd::Inputs& in, const ResidualAdd::Params&, const ResidualAdd::Outputs& out, Context&) {
  PARITY_CHECK(in.residual.dtype == DType::bf16 && out.out.dtype == DType::bf16, internal, "not in its own type");
  for (int64_t i = 0; i < out.out.count(); ++i)
    store_element(DType::bf16, out.out.data + 2 * i, in.residual.value(i) + in.branch.value(i) + 8.0);
}

class Executions : public ::testing::Test {
 protected:
  Execution run(Mode mode, Kernel<ResidualAdd>* kernel = &add) {
    Registry kernels;
    kernels.add<ResidualAdd>("mine", "bf16", kernel);
    auto computation = std::make_shared<Computation>();
    computation->name = "mine";
    computation->plan = plan;
    computation->registry = {&reference::registry(), [](const Registry*) {}};
    computation->weights = std::make_shared<const NoWeights>();
    computation->kernels = kernel_table(kernels, "mine", "bf16");
    edit(*computation);
    return {computation, source, mode, [](const std::string&) { return true; }};
  }

  Plan plan = three_nodes();
  Overlay source{plan,
                 nullptr,
                 {{"a", numbers(1)},
                  {"b", numbers(2)},
                  {"first/out", numbers(100)},
                  {"act/out", numbers(200)},
                  {"second/out", numbers(300)}}};
  std::function<void(Computation&)> edit = [](Computation&) {};
};

TEST_F(Executions, IsolatedNodesHaveTheSourcesValues) {
  const Execution mine = run(Mode::isolated);

  EXPECT_THAT(values_of(mine.read("first/out")), ElementsAre(11, 13, 15, 17));
  EXPECT_THAT(values_of(mine.read("second/out")), ElementsAre(209, 211, 213, 215)) << "of act/out as it is";
  EXPECT_EQ(mine.read("second/out").dtype(), DType::bf16);
}

TEST_F(Executions, IsolatedNodesThatNobodysKernelComputesAreLeftOut) {
  const Execution mine = run(Mode::isolated);

  EXPECT_FALSE(mine.has("act/out"));
  EXPECT_EQ(mine.reason("act/out"), "mine has no kernel of silu");
}

TEST_F(Executions, ASpanNeedsWhatTheSourceLacks) {
  const Overlay less(plan, nullptr, {{"a", numbers(1)}, {"b", numbers(2)}, {"first/out", numbers(100)}});
  const Execution whole = run(Mode::chained);
  Computation copy;
  edit = [&](Computation& computation) { copy = computation; };
  static_cast<void>(run(Mode::isolated));
  const Execution mine(std::make_shared<Computation>(copy), less, Mode::isolated,
                       [](const std::string&) { return true; });

  EXPECT_THAT(values_of(mine.read("second/out")), ElementsAre(109, 111, 113, 115)) << "silu(100) + 1 + 8";
}

TEST_F(Executions, ChainedNodesHaveTheirOwnValuesAndLentOnesAreSaidSo) {
  const Execution mine = run(Mode::chained);

  EXPECT_TRUE(mine.has("act/out"));
  EXPECT_THAT(values_of(mine.read("second/out")), ElementsAre(20, 23, 26, 29)) << "silu(11) + 1 + 8";
  EXPECT_THAT(values_of(mine.read("first/out")), ElementsAre(11, 13, 15, 17));
  EXPECT_TRUE(mine.own("second/out"));
  EXPECT_FALSE(mine.own("act/out"));
  EXPECT_EQ(mine.reason("act/out"), "mine has no kernel of silu; the reference computed it");
}

TEST_F(Executions, AnEditedNodeIsTheCandidatesOwnThoughTheReferenceComputesIt) {
  edit = [](Computation& computation) {
    computation.edited = {"first/out", "act/out"};
    computation.by_reference = {"first/out"};
  };
  const Execution mine = run(Mode::isolated);

  EXPECT_THAT(values_of(mine.read("first/out")), ElementsAre(3, 5, 7, 9)) << "without the 8 of the kernel";
  EXPECT_THAT(values_of(mine.read("act/out")), ElementsAre(100, 101, 102, 103));
}

TEST_F(Executions, WithoutAnyKernelTheCandidateIsTheReference) {
  edit = [](Computation& computation) { computation.kernels = {}; };
  const Execution mine = run(Mode::isolated);

  EXPECT_THAT(values_of(mine.read("first/out")), ElementsAre(3, 5, 7, 9));
  EXPECT_TRUE(mine.own("act/out"));
}

TEST_F(Executions, WhatNobodyWritesIsNaN) {
  const Execution mine = run(Mode::isolated, [](const ResidualAdd::Inputs&, const ResidualAdd::Params&,
                                                const ResidualAdd::Outputs&, Context&) {});

  for (const double value : values_of(mine.read("first/out"))) EXPECT_TRUE(std::isnan(value));
}

TEST_F(Executions, AKernelThatWritesBesideAnOutputIsRefused) {
  const Execution mine =
      run(Mode::isolated, [](const ResidualAdd::Inputs&, const ResidualAdd::Params&, const ResidualAdd::Outputs& out,
                             Context&) { store_element(DType::bf16, out.out.data + 2 * out.out.count(), 1.0); });

  EXPECT_THROW(static_cast<void>(mine.read("first/out")), Error);
}

TEST_F(Executions, WhatAKernelDeclaresNotToSupportTheReferenceComputes) {
  const Execution mine =
      run(Mode::chained, [](const ResidualAdd::Inputs&, const ResidualAdd::Params&, const ResidualAdd::Outputs&,
                            Context&) { throw Error(ErrorCode::unsupported, "rows of 4 are too short"); });

  EXPECT_THAT(values_of(mine.read("first/out")), ElementsAre(3, 5, 7, 9));
  EXPECT_FALSE(mine.own("first/out"));
  EXPECT_THAT(mine.reason("first/out"), HasSubstr("rows of 4 are too short"));
}

// ---- decisions, and written files ----------------------------------------------------------------------------------

constexpr const char* kMoe = "steps/000/text/layers/01/moe/";

/// Fixture with the reference as a candidate, on a tiny golden in which one token went to another expert.
class Decisions : public ::testing::Test {
 protected:
  void SetUp() override {
    tests::write_tiny_golden(scratch / "whole", DType::f32);
    whole.emplace(scratch / "whole");
    computation->plan = whole->plan;
    computation->registry = {&reference::registry(), [](const Registry*) {}};
    computation->weights = {&whole->golden.parameters(), [](const WeightSource*) {}};
    const Tensor ids = whole->recording.read(kIds);
    while (other == ids.i64()[0] || other == ids.i64()[1]) ++other;
    source.emplace(whole->plan, &whole->recording,
                   std::map<std::string, Tensor>{{kIds, tests::with_element(ids, 0, static_cast<double>(other))}});
  }
  Execution run(Mode mode) {
    return {computation, *source, mode, [this](const std::string& tap) { return whole->recording.has(tap); }};
  }
  int64_t differing(const Execution& run, const std::string& tap) const {
    return tests::differing(run.read(tap), whole->recording.read(tap));
  }

  const std::string kIds = std::string(kMoe) + "router/indices";
  golden::TemporaryFolder scratch;
  std::optional<tests::Opened> whole;
  std::shared_ptr<Computation> computation = std::make_shared<Computation>();
  std::optional<Overlay> source;
  int64_t other = 0;
};

TEST_F(Decisions, ForcedGoesOnWithTheSourcesAndKeepsItsOwnToBeJudged) {
  const Execution forced = run(Mode::forced);

  EXPECT_EQ(differing(forced, kIds), 0);
  EXPECT_EQ(differing(forced, std::string(kMoe) + "router/scores"), 0);
  EXPECT_GT(differing(forced, std::string(kMoe) + "router/weights"), 0);
  EXPECT_GT(differing(forced, std::string(kMoe) + "experts/out"), 0);
}

TEST_F(Decisions, ChainedGoesOnWithItsOwn) {
  const Execution chained = run(Mode::chained);

  for (const char* tap : {"router/indices", "router/weights", "experts/out"})
    EXPECT_EQ(differing(chained, std::string(kMoe) + tap), 0) << tap;
}

/// Weights depend on the choice and its order. They must match the ids that the span chose, not the source's.
TEST_F(Decisions, ASpanGoesOnWithTheDecisionThatItMadeItself) {
  tests::Changes changes;
  changes.dropped = {"*/router/weights"};
  changes.values[kIds] = source->read(kIds);
  const tests::Opened less(tests::copy_golden(scratch / "whole", scratch / "less", changes));
  const Execution isolated(computation, less.recording, Mode::isolated,
                           [&](const std::string& tap) { return less.recording.has(tap); });

  EXPECT_EQ(differing(isolated, std::string(kMoe) + "experts/out"), 0);
}

TEST_F(Decisions, AWrittenCaptureHoldsWhatTheExecutionHas) {
  const Execution chained = run(Mode::chained);

  const auto own = [this](const std::string& tap) { return tap != kIds; };
  write_capture(whole->golden, whole->plan, {chained, own, "oracle"}, scratch / "capture.h5");

  const auto file = golden::ActivationFile::open(scratch / "capture.h5");
  const Recording capture(file, whole->plan);
  EXPECT_EQ(file.attributes().at("golden"), whole->golden.name());
  EXPECT_TRUE(golden::declaration_of(file).marked);
  EXPECT_EQ(file.attributes().at("rounding"), "oracle");
  EXPECT_THAT(capture.lent(), ::testing::ElementsAre(kIds));
  for (const auto& [tap, info] : whole->plan.taps) {
    EXPECT_EQ(capture.has(tap), whole->recording.has(tap)) << tap;
    if (!capture.has(tap)) continue;
    EXPECT_EQ(tests::differing(capture.read(tap), whole->recording.read(tap)), 0) << tap;
  }
}

}  // namespace
}  // namespace parity::replay
