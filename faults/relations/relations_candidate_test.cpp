// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Relations on native kernels: right ones satisfy them, wrong ones break named relations, missing ones are not judged.
#include <algorithm>
#include <functional>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/tiny/tiny_configs.hpp"
#include "faults/edits/edit.hpp"
#include "faults/relations/relations.hpp"
#include "faults/relations/subject.hpp"
#include "optimized/registry.hpp"

namespace parity::faults {
namespace {

using ::testing::Contains;
using ::testing::Not;

const std::string kSparse = "attention_block_sparse";

/// Changes the operands of one component's CPU kernel. The other kernels are right.
using Mistake = std::function<void(Arguments& in, const Definition& definition)>;

Tried with_kernel(const std::string& component, const ErasedKernel& kernel) {
  Tried tried = tried_as("cpu");
  tried.native->kernels.at(component).run = kernel;
  return tried;
}

Tried mistaken(const std::string& component, const Mistake& mistake) {
  const ErasedKernel right = optimized::registry().kernel(component, "cpu", "f32").run;
  const Definition& definition = registry().component(component);
  return with_kernel(component, [right, &definition, mistake](const Arguments& in, const ParamMap& params,
                                                              const Arguments& out, Context& context) {
    Arguments other = in;
    mistake(other, definition);
    right(other, params, out, context);
  });
}

TensorView& operand(Arguments& in, const Definition& definition, const std::string& field) {
  return in[static_cast<size_t>(definition.input_index(field))].tensors.front();
}

/// Returns subject, relation and verdict of each result that does not hold.
std::vector<std::string> broken(const Tried& tried, uint64_t seed = 1) {
  std::vector<std::string> names;
  for (const RelationResult& result : run_relations(tried, seed)) {
    if (!result.holds()) names.push_back(result.subject + " " + result.relation + " " + to_string(result.verdict()));
  }
  return names;
}

TEST(RelationsOfACandidate, AllHoldForTheCpuKernels) {
  for (const uint64_t seed : {1, 2, 3}) {
    for (const RelationResult& result : run_relations(tried_as("cpu"), seed)) {
      EXPECT_TRUE(result.holds()) << result.subject << " " << result.relation << ": " << result.deviation;
      EXPECT_FALSE(result.computed.empty()) << result.subject << " " << result.relation;
      EXPECT_LE(result.within, kSameRun) << "roundings are allowed what the reference is not";
    }
  }
}

TEST(RelationsOfACandidate, PaddingThatIsNotMaskedIsNamed) {
  Tensor seen;
  const auto names = broken(mistaken(kSparse, [&](Arguments& in, const Definition& definition) {
    if (in[static_cast<size_t>(definition.input_index("mask"))].tensors.empty()) return;  // NeMo's mask has pairs
    TensorView& mask = operand(in, definition, "mask");
    seen = Tensor(DType::i64, mask.shape, mask.axes);
    std::fill_n(seen.i64(), seen.view().count(), int64_t{1});
    mask = seen.view();
  }));

  EXPECT_THAT(names, Contains("minimax_m3_vl holes BROKEN"));
  EXPECT_THAT(names, Not(Contains("minimax_m2 holes BROKEN")));  // has no such attention
}

TEST(RelationsOfACandidate, AWrongStrideOfTheBatchIsNamed) {
  const auto names = broken(mistaken(kSparse, [](Arguments& in, const Definition& definition) {
    TensorView& keys = operand(in, definition, "k");
    keys.strides[0] = 0;  // every sequence reads the keys of the first one
  }));

  EXPECT_THAT(names, Contains("minimax_m3_vl alone BROKEN"));
  EXPECT_THAT(names, Contains("minimax_m3_vl order BROKEN"));
}

TEST(RelationsOfACandidate, ABudgetThatIsIgnoredIsNoLongerTight) {
  const ErasedKernel dense = optimized::registry().kernel("attention_dense", "cpu", "f32").run;
  const Definition& definition = registry().component("attention_dense");
  const auto names = broken(with_kernel(kSparse, [dense, &definition](const Arguments& in, const ParamMap& params,
                                                                      const Arguments& out, Context& context) {
    dense({in.begin(), in.begin() + static_cast<int64_t>(definition.inputs.size())}, params, out, context);
  }));

  EXPECT_THAT(names, Contains("minimax_m3_vl tight-budget BROKEN"));
}

TEST(RelationsOfACandidate, NothingIsShownOfWhatItDoesNotCompute) {
  Tried one = tried_as("cpu");
  std::erase_if(one.native->kernels, [](const auto& kernel) { return kernel.first != "silu"; });  // Text-01 only
  const auto results = run_relations(one, 1);

  EXPECT_TRUE(all_hold(results));
  for (const RelationResult& result : results) {
    EXPECT_EQ(result.verdict() == Relation::holds, result.subject == "minimax_text_01") << result.subject;
    EXPECT_EQ(result.verdict() == Relation::not_shown, result.computed.empty()) << result.subject;
  }
  one.native->kernels.clear();
  EXPECT_FALSE(all_hold(run_relations(one, 1)));
}

TEST(RelationsOfACandidate, AKernelThatRefusesIsNamedAndOneThatCannotIsNotShown) {
  for (const ErrorCode code : {ErrorCode::schema, ErrorCode::unsupported}) {
    const auto results = run_relations(
        mistaken("silu", [code](Arguments&, const Definition&) { throw Error(code, "no such width"); }), 1);
    const auto of_text01 = std::find_if(results.begin(), results.end(),
                                        [](const auto& result) { return result.subject == "minimax_text_01"; });
    EXPECT_EQ(of_text01->verdict(), code == ErrorCode::schema ? Relation::broken : Relation::not_shown);
    EXPECT_THAT(of_text01->refused, ::testing::HasSubstr("no such width"));
  }
}

TEST(RelationsOfACandidate, UnequalRunsBehindANearTieAreInconclusive) {
  RelationResult result{"order", "", "minimax_m2", 0.1};
  result.computed = {"router"};
  EXPECT_EQ(result.verdict(), Relation::broken);
  result.flip = "steps/000/text/layers/01/moe/router/indices";
  EXPECT_EQ(result.verdict(), Relation::inconclusive);
  EXPECT_FALSE(all_hold({result}));
  result.deviation = 0.0;
  EXPECT_EQ(result.verdict(), Relation::holds);
}

// ---- which choices are near ties ---------------------------------------------------------------------------------------

/// Returns a walk of a small M2 whose router reads logits that grow by `step` from expert to expert.
Walk walk_with_logits(float step, bool twins) {
  const Tried tried = mistaken("router", [step](Arguments& in, const Definition& definition) {
    const TensorView& logits = operand(in, definition, "logits");
    auto* values = reinterpret_cast<float*>(logits.data);
    for (int64_t i = 0; i < logits.count(); ++i) values[i] += step * static_cast<float>(i % logits.shape.back());
  });
  const Subject subject(tiny_config("minimax_m2"), 1, tried);
  Run run = whole(subject.tokens(2, 8, 1));
  MapWeight twin{twins ? "*block_sparse_moe.gate.weight" : "none", "", "", "", {}};  // all experts get equal scores
  twin.map.kind = TensorMap::Kind::fill;
  twin.map.number = "0";
  MapWeight bias = twin;
  bias.tensor = twins ? "*e_score_correction_bias" : "none";
  run.weights.maps = {twin, bias};
  Walk walk;
  static_cast<void>(subject.logits(run, walk));
  return walk;
}

TEST(RelationsOfACandidate, OnlyAChoiceWithinTheErrorOfItsScoresIsExcused) {
  EXPECT_EQ(walk_with_logits(0.0F, true).flip, "");
  EXPECT_THAT(walk_with_logits(1e-7F, true).flip, ::testing::HasSubstr("moe/router/indices"));
  EXPECT_EQ(walk_with_logits(1e-7F, false).flip, "");  // not a tie
  EXPECT_EQ(walk_with_logits(1.0F, false).flip, "");   // a wrong router is not excused
}

}  // namespace
}  // namespace parity::faults
