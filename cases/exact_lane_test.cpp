// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The lane exact: correct kernels pass it in every order, and others fail.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cases/battery.hpp"
#include "cases/drawn/exact.hpp"
#include "core/error.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"

namespace parity::cases {
namespace {

constexpr std::array kTypes{DType::f32, DType::bf16, DType::f16};

BatteryOptions exact_only(int64_t cases = 16) {
  BatteryOptions options;
  options.cases = cases;
  options.lanes = {Lane::exact};
  return options;
}

/// Calls body(spec) for some exact cases of each component and type that has any.
template <class Body>
void for_each_case(const std::vector<std::string>& components, uint64_t seeds, const Body& body) {
  for (const std::string& component : components) {
    for (const DType type : kTypes) {
      if (!no_exact_cases(component, type).empty()) continue;
      for (uint64_t seed = 0; seed < seeds; ++seed) body(CaseSpec{component, type, Lane::exact, seed, {}});
    }
  }
}

/// Returns the correct kernel of another order with a changed style.
CaseKernel in_style(const std::function<void(Style&)>& change) {
  return {[change](const DrawnCase& drawn, const replay::Evaluator& evaluator) {
    DrawnCase styled = drawn;
    change(styled.style);
    return another_order().run(styled, evaluator);
  }};
}

/// judge_case refuses a case on which the reference rounds, and worst_record reports that.
TEST(ExactLane, NoDrawnCaseRounds) {
  for_each_case(drawn_cases(), 60, [](const CaseSpec& spec) {
    const compare::Record record = worst_record(spec, oracle());
    EXPECT_EQ(record.status, compare::Status::pass) << spec.text() << " " << record.reason;
  });
}

/// A kernel that hides NaN and infinities would pass a case without any.
TEST(SpecialLane, EveryCaseHasANumberThatIsNotFinite) {
  for (const std::string& component : drawn_components()) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const DrawnCase drawn = draw_case({component, DType::f32, Lane::special, seed, {}});
      bool real = false, wild = false;
      for (const auto& [name, tap] : drawn.taps) {
        const Tensor& exact = tap.exact;
        if (exact.dtype() != DType::f64 || exact.view().count() == 0) continue;
        real = real || drawn.plan.taps.at(name).type == TapType::working;
        wild = wild ||
               std::any_of(exact.f64(), exact.f64() + exact.view().count(), [](double x) { return !std::isfinite(x); });
      }
      EXPECT_TRUE(wild || !real) << drawn.spec.text();
    }
  }
}

TEST(ExactLane, EveryOrderHasTheSameBits) {
  for_each_case(reordered_components(), 4, [](const CaseSpec& spec) {
    for (int order = 0; order < kOrders; ++order) {
      for (const bool variant : {false, true}) {
        const compare::Record record = worst_record(spec, in_style([&](Style& style) {
                                                      style.order = static_cast<Order>(order);
                                                      style.fused = style.reciprocal = style.binary_exponential =
                                                          variant;
                                                    }));
        EXPECT_EQ(record.status, compare::Status::pass) << spec.text() << " " << order << record.reason << record.where;
      }
    }
  });
}

/// Kernels that keep all inner values in binary32 also have the exact bits.
TEST(ExactLane, SoHaveKernelsThatRoundOnce) {
  const CaseKernel once{[](const DrawnCase& drawn, const replay::Evaluator& evaluator) {
                          DrawnCase free = drawn;
                          free.own_rounding = true;
                          return another_order().run(free, evaluator);
                        },
                        true};
  for_each_case(reordered_components(), 12, [&](const CaseSpec& spec) {
    const compare::Record record = worst_record(spec, once);
    EXPECT_EQ(record.status, compare::Status::pass) << spec.text() << " " << record.reason << record.where;
  });
}

TEST(ExactLane, NoticesABf16AccumulatorInEveryType) {
  const CaseKernel narrow = in_style([](Style& style) {
    style.order = Order::forward;
    style.accumulator = DType::bf16;
  });
  for (const char* component : {"linear", "patch_embed", "moe_experts", "index_block_scores"}) {
    for (const DType type : kTypes) {
      BatteryOptions options = exact_only();
      options.types = {type};
      EXPECT_GT(run_battery(component, narrow, options).failed, 0) << component << " " << to_string(type);
    }
  }
}

/// Cuts factors to the 11 digits that tensor cores read: an error within bounds in other lanes, other bits here.
TEST(ExactLane, NoticesTf32ProductsOfBinary32) {
  const CaseKernel tf32{[](const DrawnCase& drawn, const replay::Evaluator& evaluator) {
    DrawnCase cut = drawn;
    for (auto& [tap, value] : cut.taps) {
      Tensor rounded = convert(value.exact.view(), value.exact.dtype());
      for (int64_t i = 0; rounded.dtype() == DType::f64 && i < rounded.view().count(); ++i) {
        const auto bits = std::bit_cast<uint32_t>(static_cast<float>(rounded.f64()[i]));
        rounded.f64()[i] = std::bit_cast<float>((bits + 0x1000U) & 0xFFFFE000U);
      }
      value.exact = value.rounded = rounded;
    }
    return another_order().run(cut, evaluator);
  }};
  BatteryOptions options = exact_only();
  options.types = {DType::f32};
  EXPECT_GT(run_battery("linear", tf32, options).failed, 0);
  EXPECT_GT(run_battery("index_block_scores", tf32, options).failed, 0);
}

struct Streaming {
  bool drops_last = false;  // the last key
  bool rescales = true;     // rescales earlier sums at a new maximum
  double first_largest = -std::numeric_limits<double>::infinity();
};

/// Returns attention of dense heads in binary32, key by key.
CaseKernel streaming(const Streaming& how) {
  return {[how](const DrawnCase& drawn, const replay::Evaluator&) {
    const auto of = [&](const char* field) { return drawn.taps.at(std::string("in/") + field).exact; };
    const Tensor q = of("q"), k = of("k"), v = of("v"), mask = drawn.taps.contains("in/mask") ? of("mask") : Tensor();
    const int64_t heads = q.shape()[1], queries = q.shape()[2], width = q.shape()[3];
    const int64_t groups = k.shape()[1], slots = k.shape()[2], masked = mask.empty() ? 0 : mask.shape()[1];
    const ParamMap& params = drawn.plan.nodes.front().params;
    const auto scale = static_cast<float>(std::get<double>(params.at("scale")));
    const bool one_mask = std::get<bool>(params.at("first_slot_masks"));
    const int64_t start = params.contains("query_slot") ? std::get<int64_t>(params.at("query_slot")) : slots - queries;
    Tensor out(DType::f64, {q.shape()[0], queries, heads, width}, "B,S,A,D");
    for (int64_t row = 0; row < q.view().count() / width; ++row) {
      const int64_t s = row % queries, a = row / queries % heads, b = row / queries / heads;
      const int64_t first = (b * groups + a / (heads / groups)) * slots, own = start + s;
      auto largest = static_cast<float>(how.first_largest), total = 0.0F;
      std::vector<float> mixed(static_cast<size_t>(width), 0.0F);
      for (int64_t j = 0; j <= own - (how.drops_last ? 1 : 0); ++j) {
        if (!mask.empty() && mask.i64()[b * masked + (one_mask ? 0 : j)] == 0) continue;
        float score = 0.0F;
        for (int64_t d = 0; d < width; ++d)
          score += static_cast<float>(q.f64()[row * width + d] * k.f64()[(first + j) * width + d]);
        const float now = std::max(largest, score * scale);
        const float shrink = how.rescales ? std::exp(largest - now) : 1.0F, weight = std::exp(score * scale - now);
        total = total * shrink + weight;
        for (int64_t d = 0; d < width; ++d) {
          float& sum = mixed[static_cast<size_t>(d)];
          sum = sum * shrink + weight * static_cast<float>(v.f64()[(first + j) * width + d]);
        }
        largest = now;
      }
      for (int64_t d = 0; d < width; ++d)
        out.f64()[((b * queries + s) * heads + a) * width + d] = mixed[static_cast<size_t>(d)] / total;
    }
    return std::map<std::string, Tensor>{{"out", convert(out.view(), drawn.plan.working)}};
  }};
}

int64_t failed(const CaseKernel& kernel) { return run_battery("attention_dense", kernel, exact_only(40)).failed; }

TEST(ExactLane, AttentionThatStreamsKeyByKeyHolds) { EXPECT_EQ(failed(streaming({})), 0); }

TEST(ExactLane, NoticesADroppedKey) { EXPECT_GT(failed(streaming({true, true})), 0); }

TEST(ExactLane, NoticesAForgottenRescale) { EXPECT_GT(failed(streaming({false, false})), 0); }

TEST(ExactLane, NoticesAMaximumThatBeginsAtZero) { EXPECT_GT(failed(streaming({false, true, 0.0})), 0); }

CaseKernel changed(const std::function<double(double)>& change) {
  return {[change](const DrawnCase& drawn, const replay::Evaluator& evaluator) {
    auto outputs = oracle().run(drawn, evaluator);
    Tensor out = widen(outputs.at("out").view());
    for (int64_t i = 0; i < out.view().count(); ++i) out.f64()[i] = change(out.f64()[i]);
    outputs["out"] = convert(out.view(), outputs.at("out").dtype());
    return outputs;
  }};
}

/// The sign of a zero counts only in data that is moved: a sum may begin with 0 or with its first term.
TEST(ExactLane, HoldsOnlyMovedZerosToTheirSign) {
  const auto unsigned_zero = changed([](double x) { return x == 0.0 ? 0.0 : x; });
  const auto negative_zero = changed([](double x) { return x == 0.0 ? -0.0 : x; });

  EXPECT_GT(run_battery("cache_append", unsigned_zero, exact_only()).failed, 0);
  EXPECT_EQ(run_battery("linear", negative_zero, exact_only()).failed, 0);
}

TEST(ExactLane, NoticesSubnormalNumbersThatAreFlushed) {
  const auto flushes = changed([](double x) { return std::abs(x) < smallest_normal(DType::f32) ? 0.0 * x : x; });
  EXPECT_GT(run_battery("paged_view", flushes, exact_only()).failed, 0);
}

TEST(ExactLane, NoticesTheLastBitOfOneElement) {
  const CaseKernel nearly{[](const DrawnCase& drawn, const replay::Evaluator& evaluator) {
    auto outputs = oracle().run(drawn, evaluator);
    const TensorView& out = outputs.at("out").view();
    if (out.count() == 0) return outputs;
    Tensor wide = widen(out);
    wide.f64()[out.count() - 1] *= 1.0 + 2.0 * unit_roundoff(out.dtype);
    outputs["out"] = convert(wide.view(), out.dtype);
    return outputs;
  }};
  BatteryOptions options = exact_only(8);
  const BatteryResult exact = run_battery("linear", nearly, options);
  options.lanes = {Lane::boundary};

  EXPECT_GT(exact.failed, exact.cases / 2);
  EXPECT_LT(run_battery("linear", nearly, options).failed, exact.failed) << "others allow it an order of its own";
}

TEST(ExactLane, ReducedCasesFailAgainFromTheirText) {
  const BatteryResult battery = run_battery("attention_dense", streaming({true, true}), exact_only(40));

  ASSERT_TRUE(battery.first.has_value());
  const CaseSpec spec = parse_case(battery.first->spec.text(), drawn_components());
  EXPECT_EQ(spec.lane, Lane::exact);
  EXPECT_TRUE(is_wrong(worst_record(spec, streaming({true, true}))));
  EXPECT_FALSE(is_wrong(worst_record(spec, oracle())));
}

TEST(ExactLane, RefusesAComponentWithoutOne) {
  EXPECT_THROW(static_cast<void>(draw_case({"rotary_tables", DType::f32, Lane::exact, 1, {}})), Error);
  EXPECT_THROW(static_cast<void>(draw_case({"rms_norm", DType::f32, Lane::exact, 1, {}})), Error);
  EXPECT_EQ(run_battery("rotary_tables", oracle(), exact_only()).cases, 0);
}

/// Only components without a kernel in this project may lack exact cases. Cosines and sines are never exact.
TEST(ExactLane, EveryComponentWithAKernelHasCases) {
  for (const KernelEntry& kernel : optimized::registry().kernels()) {
    if (kernel.component == "rotary_tables" || kernel.component == "vision_rotary_tables") continue;
    EXPECT_EQ(no_exact_cases(kernel.component, DType::bf16), "") << kernel.component;
  }
}

/// Uses whole numbers. A component that rounds them needs a recipe in cases/drawn/exact_elementwise.cpp.
TEST(ExactLane, EveryElementwiseComponentHasCases) {
  for (const std::string& component : drawn_components()) {
    if (reference::registry().component(component).traits.elementwise) {
      EXPECT_EQ(no_exact_cases(component, DType::bf16), "") << component;
    }
  }
}

/// x cos + y sin in eight digits: 8 * 8 + 8 * 8 = 128, but 16 gives up to 512. In binary32, 2^12 squared is 2^24.
TEST(ExactLane, WholeNumbersAreAsLargeAsNothingRounds) {
  EXPECT_EQ(most_whole("vision_rope", DType::bf16), 8);
  EXPECT_EQ(most_whole("vision_rope", DType::f32), 2048);
  EXPECT_EQ(most_whole("silu", DType::bf16), 0) << "the sigmoid of 1 has no end";
  EXPECT_EQ(most_whole("linear", DType::bf16), 0) << "its partial sums would not be seen";
}

}  // namespace
}  // namespace parity::cases
