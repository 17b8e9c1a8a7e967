// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The battery on fused kernels: cases come from the recipes of their parts; right kernels pass and wrong ones fail.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/battery.hpp"
#include "cases/drawn/exact.hpp"
#include "faults/catalogue.hpp"
#include "faults/planted_case.hpp"
#include "optimized/registry.hpp"

namespace parity::faults {
namespace {

cases::BatteryOptions few() {
  cases::BatteryOptions options;
  options.cases = 40;
  options.types = {DType::f32, DType::bf16};
  return options;
}

const ErasedKernel& right(const std::string& fusion, DType type) {
  return optimized::fusions().kernels().kernel(fusion, "cpu", to_string(type)).run;
}

class EveryFusion : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryFusion, HoldsInEveryLane) {
  cases::BatteryOptions options = few();
  options.types.push_back(DType::f16);
  for (const cases::CaseKernel& kernel : {cases::oracle(), cases::another_order()}) {
    const cases::BatteryResult battery = cases::run_battery(GetParam(), kernel, options);
    EXPECT_EQ(battery.failed, 0) << battery.first->spec.text() << " " << battery.first->record.reason;
  }
  const cases::BatteryResult battery = cases::run_battery(GetParam(), cases::with_backend("cpu:fused"), few());

  EXPECT_EQ(battery.failed, 0) << battery.first->spec.text() << " " << battery.first->record.reason;
  EXPECT_EQ(battery.cases, 80);
}

TEST_P(EveryFusion, IsDrawnWithExtentsThatItsPartsShare) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const cases::DrawnCase drawn = cases::draw_case({GetParam(), DType::bf16, cases::Lane::boundary, seed, {}});
    ASSERT_TRUE(drawn.fused.has_value());
    const AxisSizes& sizes = drawn.plan.sizes.at(0);
    for (const auto& [tap, info] : drawn.plan.taps) EXPECT_EQ(info.shape, shape_of(info.axes, sizes)) << tap;
    for (const auto& [letter, extent] : drawn.drawn) {
      const bool kept = !sizes.contains(letter) || sizes.at(letter) == extent || sizes.at(letter) == 0;  // no token
      EXPECT_TRUE(kept) << letter;
    }
  }
}

TEST_P(EveryFusion, IsReducedAndFailsAgainFromItsText) {
  const cases::CaseKernel zeros{[](const cases::DrawnCase& drawn, const replay::Evaluator& evaluator) {
    auto outputs = cases::oracle().run(drawn, evaluator);
    for (auto& [tap, tensor] : outputs) tensor = Tensor(tensor.dtype(), tensor.shape());
    return outputs;
  }};
  const cases::BatteryResult battery = cases::run_battery(GetParam(), zeros, few());

  ASSERT_TRUE(battery.first.has_value());
  const cases::CaseSpec spec = cases::parse_case(battery.first->spec.text(), cases::drawn_cases());
  EXPECT_TRUE(cases::is_wrong(cases::worst_record(spec, zeros)));
  EXPECT_FALSE(cases::is_wrong(cases::worst_record(spec, cases::oracle())));
  for (const auto& [letter, extent] : cases::draw_case(spec).drawn) EXPECT_LE(extent, 2) << letter;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryFusion, ::testing::ValuesIn(cases::drawn_fusions()),
                         [](const auto& test) { return test.param; });

using Wrong = std::function<void(const std::string& fusion, DType type, const Arguments&, const ParamMap&,
                                 const Arguments&, Context&)>;

/// Returns the number of failing cases of the fused kernel with a bug inside.
int64_t failed(const std::string& fusion, const Wrong& wrong) {
  const Definition& definition = optimized::fusions().kernels().component(fusion);
  std::map<DType, KernelEntry> entries;
  for (const DType type : few().types)
    entries[type] = {fusion, "cpu", to_string(type),
                     [=](const Arguments& in, const ParamMap& params, const Arguments& out, Context& context) {
                       wrong(fusion, type, in, params, out, context);
                     }};
  const auto find = [&](const std::string&, DType type) { return cases::NativeKernel{&entries.at(type), &definition}; };
  return cases::run_battery(fusion, cases::with_kernels("planted", find), few()).failed;
}

void without_gain_offset(const std::string& fusion, DType type, const Arguments& in, const ParamMap& params,
                         const Arguments& out, Context& context) {
  ParamMap wrong = params;
  wrong["gain_offset"] = 0.0;
  right(fusion, type)(in, wrong, out, context);
}

TEST(WrongFusedKernel, ThatDropsTheGainOffsetIsNoticed) {
  for (const char* fusion : {"norm_rope", "norm_rope_append", "add_norm"})
    EXPECT_GT(failed(fusion, without_gain_offset), 0) << fusion;
}

TEST(WrongFusedKernel, ThatDoesNotWriteTheStreamIsNoticed) {
  const auto unwritten = [](const std::string& fusion, DType type, const Arguments& in, const ParamMap& params,
                            const Arguments& out, Context& context) {
    const Tensor elsewhere(type, out.front().tensors.front().shape);
    right(fusion, type)(in, params, {{{elsewhere.view()}, nullptr}, out.back()}, context);
  };

  EXPECT_GT(failed("add_norm", unwritten), 0);
}

/// The stream is right, but the norm is of the stream before the addition.
TEST(WrongFusedKernel, ThatNormsTheBranchAloneIsNoticed) {
  const auto alone = [](const std::string& fusion, DType type, const Arguments& in, const ParamMap& params,
                        const Arguments& out, Context& context) {
    const Tensor zeros(type, in.front().tensors.front().shape), elsewhere(type, zeros.shape());
    right(fusion, type)(in, params, out, context);
    right(fusion, type)({{{zeros.view()}, nullptr}, in[1], in[2]}, params, {{{elsewhere.view()}, nullptr}, out.back()},
                        context);
  };

  EXPECT_GT(failed("add_norm", alone), 0);
}

/// One kernel rotates, the other norms. Both are right by themselves.
TEST(WrongFusedKernel, ThatRotatesBeforeItNormsIsNoticed) {
  const auto turned = [](const std::string&, DType type, const Arguments& in, const ParamMap& params,
                         const Arguments& out, Context& context) {
    const Registry& kernels = optimized::registry();
    TensorView x = in[0].tensors.front();
    std::swap(x.shape[1], x.shape[2]);
    std::swap(x.strides[1], x.strides[2]);
    const Tensor between(type, x.shape);
    kernels.kernel("partial_rope", "cpu", to_string(type))
        .run({{{x}, nullptr}, in[2], in[3]}, {}, {{{between.view()}, nullptr}}, context);
    kernels.kernel("rms_norm", "cpu", to_string(type)).run({{{between.view()}, nullptr}, in[1]}, params, out, context);
  };

  EXPECT_GT(failed("norm_rope", turned), 0);
}

TEST(WrongFusedKernel, ThatReadsTheScaleOfTheNeighbouringBlockIsNoticed) {
  const auto rolled = [](const std::string& fusion, DType type, const Arguments& in, const ParamMap& params,
                         const Arguments& out, Context& context) {
    const TensorView& scales = in[2].tensors.front();
    const Tensor wrong(scales.dtype, scales.shape);
    for (int64_t i = 0, count = scales.count(); i < count; ++i) wrong.view().data[i] = scales.data[(i + 1) % count];
    right(fusion, type)({in[0], in[1], {{wrong.view()}, nullptr}}, params, out, context);
  };

  EXPECT_GT(failed("mxfp8_linear", rolled), 0);
}

/// The last row keeps its previous values.
TEST(WrongFusedKernel, ThatSkipsTheLastRowIsNoticed) {
  const auto short_of_one = [](const std::string& fusion, DType type, const Arguments& in, const ParamMap& params,
                               const Arguments& out, Context& context) {
    const TensorView& view = out.back().tensors.front();
    const auto bytes = static_cast<size_t>(view.count() == 0 ? 0 : view.shape.back() * size_of(view.dtype));
    std::byte* last = view.data + view.count() * size_of(view.dtype) - static_cast<int64_t>(bytes);
    const std::vector<std::byte> before(last, last + bytes);
    right(fusion, type)(in, params, out, context);
    std::copy(before.begin(), before.end(), last);
  };

  for (const std::string& fusion : cases::drawn_fusions()) EXPECT_GT(failed(fusion, short_of_one), 0) << fusion;
}

/// A known fault of a part can be planted in the chain.
TEST(WrongFusedKernel, WithAKnownFaultOfAPartIsNoticed) {
  const std::map<std::string, const char*> faults{{"norm_rope", "rms_norm-without-one"},
                                                  {"mxfp8_linear", "dequantise-exponent-off-by-one"}};
  for (const auto& [fusion, id] : faults) {
    const Fault& fault = find_fault(id);
    cases::BatteryOptions options = few();
    options.wanted = [&](const cases::CaseSpec& spec) { return has_place(fault, spec); };
    EXPECT_GT(cases::run_battery(fusion, with_fault(fault), options).failed, 0) << id;
  }
}

/// A wrong stream fails. The norm is judged on the stream that the kernel wrote, as in a recording.
TEST(JudgedChain, GoesOnWithWhatTheKernelWrote) {
  const cases::CaseSpec spec{"add_norm", DType::f32, cases::Lane::boundary, 3, {}};
  const cases::CaseKernel shifted{[](const cases::DrawnCase& drawn, const replay::Evaluator& evaluator) {
    cases::DrawnCase other = drawn;
    replay::TapValue& branch = other.taps.at("in/branch");
    branch.rounded = convert(branch.exact.view(), DType::f64);
    for (int64_t i = 0; i < branch.rounded.view().count(); ++i) branch.rounded.f64()[i] += 1.0;
    return cases::rounded_outputs(other, evaluator);
  }};
  std::map<std::string, compare::Status> verdicts;
  for (const compare::Record& record : cases::judge_case(cases::draw_case(spec), shifted))
    verdicts[record.tap] = record.status;

  EXPECT_EQ(verdicts.at("sum"), compare::Status::fail);
  EXPECT_EQ(verdicts.at("out"), compare::Status::pass);
}

TEST(ExactLane, OfAChainIsMissingWhereAPartHasNone) {
  EXPECT_TRUE(cases::no_exact_cases("mxfp8_linear", DType::f32).empty());
  EXPECT_TRUE(cases::no_exact_cases("norm_rope", DType::bf16).empty());
  EXPECT_THAT(cases::no_exact_cases("norm_rope", DType::f32), ::testing::HasSubstr("sqrt"));
}

}  // namespace
}  // namespace parity::faults
