// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/battery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/reduce.hpp"
#include "core/error.hpp"
#include "faults/catalogue.hpp"
#include "faults/computed.hpp"
#include "faults/planted_case.hpp"
#include "reference/reference.hpp"

namespace parity::faults {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

cases::BatteryOptions few() {
  cases::BatteryOptions options;
  options.cases = 24;
  options.large = 0;  // tested in large_lane_test.cpp
  return options;
}

/// Returns a kernel that is right except for the last element of each row wider than `width`.
cases::CaseKernel wrong_tail(int64_t width) {
  return {[width](const cases::DrawnCase& drawn, const replay::Evaluator& evaluator) {
    auto outputs = cases::oracle().run(drawn, evaluator);
    const TensorView& out = outputs.at("out").view();
    if (out.shape.back() > width && out.count() > 0) {
      Tensor wrong = widen(out);
      for (int64_t i = out.shape.back() - 1; i < out.count(); i += out.shape.back()) wrong.f64()[i] += 100.0;
      outputs["out"] = convert(wrong.view(), out.dtype);
    }
    return outputs;
  }};
}

TEST(Battery, CorrectKernelsOfAnotherOrderHoldInEveryLane) {
  for (const std::string& component : cases::reordered_components()) {
    const cases::BatteryResult battery = cases::run_battery(component, cases::another_order(), few());

    EXPECT_EQ(battery.failed, 0) << battery.first->spec.text() << " " << battery.first->record.reason;
    EXPECT_EQ(battery.cases, 24 * 3);
  }
}

/// A right output that could be wrong unnoticed is counted separately, neither as a failure nor as a proof.
TEST(Battery, CountsCasesThatProveNothing) {
  std::mutex mutex;
  std::vector<cases::CaseSpec> drawn;
  cases::BatteryOptions options = few();
  options.tiles = true;
  options.wanted = [&](const cases::CaseSpec& spec) {
    const std::scoped_lock lock(mutex);
    drawn.push_back(spec);
    return true;
  };

  const cases::BatteryResult battery = cases::run_battery("moe_experts_preweighted", cases::oracle(), options);

  int64_t mistrusted = 0;
  for (const cases::CaseSpec& spec : drawn) {
    const compare::Record record = cases::worst_record(spec, cases::oracle());
    if (record.status != compare::Status::mistrusted) continue;
    ++mistrusted;
    EXPECT_THAT(record.reason, ::testing::AnyOf(HasSubstr("unnoticed"), HasSubstr("constant"))) << spec.text();
    EXPECT_FALSE(cases::is_wrong(record));
  }
  EXPECT_EQ(battery.mistrusted, mistrusted);
  EXPECT_GT(battery.mistrusted, 0) << "of " << battery.cases;
  EXPECT_LT(battery.mistrusted, battery.cases / 10) << "boundary shapes are few";
  EXPECT_EQ(battery.failed, 0);
}

TEST(Battery, EveryComponentIsDrawnAndTheReferenceHolds) {
  EXPECT_EQ(cases::drawn_components(), reference::registry().components());
  for (const std::string& component : cases::drawn_components()) {
    const cases::BatteryResult battery = cases::run_battery(component, cases::oracle(), few());

    EXPECT_EQ(battery.failed, 0) << battery.first->spec.text() << " " << battery.first->record.reason;
    EXPECT_EQ(battery.cases, 24 * 3);
  }
}

TEST(Battery, RefusesAnotherOrderWhereThereIsNone) {
  const cases::CaseSpec moves{"gather", DType::bf16, cases::Lane::boundary, 3, {}};

  EXPECT_THROW(static_cast<void>(cases::worst_record(moves, cases::another_order())), Error);
  EXPECT_FALSE(cases::is_wrong(cases::worst_record(moves, cases::oracle())));
}

TEST(Battery, ReducesAFailingCaseToTheSmallestThatFails) {
  const cases::BatteryResult battery = cases::run_battery("linear", wrong_tail(15), few());

  ASSERT_TRUE(battery.first.has_value());
  const AxisSizes sizes = cases::draw_case(battery.first->spec).plan.sizes.at(0);
  EXPECT_EQ(sizes.at('F'), 16);  // 15 would pass
  EXPECT_EQ(sizes.at('H'), 1);
  EXPECT_LE(sizes.at('S') * sizes.at('B'), 2);  // the smallest case with the same pattern of wrong values
}

TEST(Battery, TheReducedCaseFailsAgainFromItsText) {
  const cases::CaseKernel kernel = with_fault(find_fault("rms_norm-without-one"));

  cases::BatteryOptions options = few();
  options.wanted = [](const cases::CaseSpec& spec) { return has_place(find_fault("rms_norm-without-one"), spec); };

  const cases::BatteryResult battery = cases::run_battery("rms_norm", kernel, options);

  ASSERT_TRUE(battery.first.has_value());
  EXPECT_TRUE(cases::is_wrong(
      cases::worst_record(cases::parse_case(battery.first->spec.text(), cases::drawn_components()), kernel)));
  EXPECT_FALSE(cases::is_wrong(
      cases::worst_record(cases::parse_case(battery.first->spec.text(), cases::drawn_components()), cases::oracle())));
}

TEST(Compute, RefusesAGoldenWithoutAPlace) {
  compare::RunOptions options;
  options.candidate = compare::RunOptions::Candidate::computed;
  options.compute = compute_of("fault:patchify-mean");

  EXPECT_THROW(static_cast<void>(compare::run_golden(golden::Golden::open("golden/data/m2-text-f32"), options)), Error);
}

/// Refused: the reference would judge itself.
TEST(Battery, RefusesWhatIsNoKernelOfTheCase) {
  const cases::CaseSpec norm{"rms_norm", DType::bf16, cases::Lane::boundary, 3, {}},
      half{"rms_norm", DType::f16, cases::Lane::boundary, 3, {}};

  EXPECT_FALSE(has_place(find_fault("router-softmax"), norm));
  EXPECT_THROW(static_cast<void>(cases::worst_record(norm, with_fault(find_fault("router-softmax")))), Error);
  EXPECT_THROW(static_cast<void>(cases::worst_record(half, cases::with_backend("cpu"))), Error);
  EXPECT_FALSE(cases::is_wrong(cases::worst_record(norm, cases::with_backend("cpu"))));
}

TEST(Reduce, KeepsWhatIsNeededTogether) {
  const auto size = [](const AxisSizes& limits, char letter, int64_t drawn) {
    return limits.contains(letter) ? std::min(limits.at(letter), drawn) : drawn;
  };
  const auto fails = [&](const AxisSizes& most) {
    return size(most, 'H', 257) >= 3 && size(most, 'F', 65) * size(most, 'H', 257) >= 12;
  };

  const AxisSizes limits = cases::reduced({{'F', 65}, {'H', 257}, {'S', 17}}, fails);

  EXPECT_TRUE(fails(limits));
  EXPECT_EQ(limits, (AxisSizes{{'F', 1}, {'H', 12}, {'S', 1}}));
}

/// The kernel ignores NaN like fmin and fmax.
TEST(Battery, TheSpecialLaneNoticesASwallowedNaN) {
  const cases::CaseKernel swallows{[](const cases::DrawnCase& drawn, const replay::Evaluator& evaluator) {
    auto outputs = cases::oracle().run(drawn, evaluator);
    Tensor clean = widen(outputs.at("out").view());
    for (int64_t i = 0; i < clean.view().count(); ++i) {
      if (std::isnan(clean.f64()[i])) clean.f64()[i] = 0.0;
    }
    outputs["out"] = convert(clean.view(), outputs.at("out").dtype());
    return outputs;
  }};

  const cases::BatteryResult battery = cases::run_battery("swiglu", swallows, few());

  EXPECT_EQ(battery.failed, battery.failed_in[static_cast<size_t>(cases::Lane::special)]);
  EXPECT_GT(battery.failed, 0);
}

TEST(Battery, TheSpecialLaneNoticesANaNThatSpreads) {
  const cases::CaseKernel spreads{[](const cases::DrawnCase& drawn, const replay::Evaluator& evaluator) {
    auto outputs = cases::oracle().run(drawn, evaluator);
    Tensor values = widen(outputs.at("out").view());
    bool any = false;
    for (int64_t i = 0; i < values.view().count(); ++i) any |= std::isnan(values.f64()[i]);
    if (any) std::fill_n(values.f64(), values.view().count(), std::numeric_limits<double>::quiet_NaN());
    outputs["out"] = convert(values.view(), outputs.at("out").dtype());
    return outputs;
  }};

  EXPECT_GT(cases::run_battery("rms_norm", spreads, few()).failed, 0);
}

bool is_value(const cases::DrawnCase& drawn, const std::string& tap, const Tensor& tensor) {
  return tensor.dtype() == DType::f64 && drawn.plan.tap(tap).type != TapType::wide && tensor.view().count() > 0;
}

bool has_values(const cases::DrawnCase& drawn) {
  return std::any_of(drawn.taps.begin(), drawn.taps.end(),
                     [&](const auto& tap) { return is_value(drawn, tap.first, tap.second.exact); });
}

int64_t special_numbers(const cases::DrawnCase& drawn) {
  int64_t found = 0;
  for (const auto& [tap, value] : drawn.taps) {
    if (!is_value(drawn, tap, value.exact)) continue;
    for (int64_t i = 0; i < value.exact.view().count(); ++i) found += std::isfinite(value.exact.f64()[i]) ? 0 : 1;
  }
  return found;
}

TEST(Battery, OnlyTheSpecialLaneHasNaNAndInfinitiesAndEveryCaseOfIt) {
  for (const std::string& component : cases::drawn_cases()) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const auto drawn = [&](cases::Lane lane) { return cases::draw_case({component, DType::bf16, lane, seed, {}}); };
      const cases::DrawnCase special = drawn(cases::Lane::special);
      // A block without visible slots is at -inf in every kind of case; rows that no rank sends are NaN.
      const auto known = reference::registry().components();  // without chains
      const bool not_sent = std::binary_search(known.begin(), known.end(), component) &&
                            reference::registry().component(component).traits.sent != SentRows::all;
      const int64_t elsewhere =
          special_numbers(drawn(cases::Lane::boundary)) + special_numbers(drawn(cases::Lane::anywhere));
      EXPECT_TRUE(elsewhere == 0 || component == "index_select" || not_sent) << component;
      EXPECT_EQ(special_numbers(special) > 0, has_values(special)) << component << " " << seed;
    }
  }
}

TEST(CaseSpec, ReadsWhatItWrites) {
  const cases::CaseSpec spec{
      "attention_dense", DType::f16, cases::Lane::special, 12345678901234, {{'S', 3}, {'b', 64}}};

  const cases::CaseSpec read = cases::parse_case(spec.text(), cases::drawn_components());

  EXPECT_EQ(spec.text(), "attention_dense:f16:special:12345678901234:S3,b64");
  EXPECT_EQ(read.text(), spec.text());
}

/// Every extent is the one given in the spec, whatever sizes the recipe usually draws for the seed.
TEST(CaseSpec, RunsTheExtentsThatItPrints) {
  for (uint64_t seed = 0; seed < 64; ++seed) {
    for (const cases::Lane lane : {cases::Lane::boundary, cases::Lane::anywhere}) {
      const cases::CaseSpec spec{"rms_norm", DType::bf16, lane, seed, {{'B', 1}, {'S', 64}, {'H', 6144}}};
      const cases::DrawnCase drawn = cases::draw_case(spec);
      EXPECT_EQ(drawn.plan.tap("out").shape, (Shape{1, 64, 6144})) << spec.text();
    }
  }
}

TEST(CaseSpec, RunsGivenKeysBesideGivenQueries) {
  for (uint64_t seed = 0; seed < 64; ++seed) {
    const cases::CaseSpec spec{
        "attention_dense", DType::f32, cases::Lane::boundary, seed, {{'S', 3}, {'K', 200}, {'D', 8}}};
    const cases::DrawnCase drawn = cases::draw_case(spec);
    EXPECT_EQ(drawn.plan.tap("in/k").shape.at(2), 200) << spec.text();
    EXPECT_EQ(drawn.plan.tap("in/q").shape.at(2), 3) << spec.text();
  }
}

TEST(CaseSpec, RefusesExtentsThatOthersForbid) {
  const cases::CaseSpec spec{"router", DType::f32, cases::Lane::boundary, 5, {{'E', 4}, {'T', 9}}};
  const cases::DrawnCase drawn = cases::draw_case(spec);

  EXPECT_EQ(drawn.drawn.at('T'), 4) << "never more experts a token than there are";
  EXPECT_THROW(cases::require_given(spec, drawn.drawn, drawn.text()), Error);
  EXPECT_THROW(cases::require_given({"router", DType::f32, cases::Lane::boundary, 5, {{'q', 4}}}, drawn.drawn, ""),
               Error);
}

TEST(CaseSpec, RefusesAnythingElse) {
  for (const char* text :
       {"", "rms_norm", "rms_norm:bf16:boundary", "rms_norms:bf16:boundary:1", "rms_norm:i8:boundary:1",
        "rms_norm:bf16:border:1", "rms_norm:bf16:boundary:x", "rms_norm:bf16:boundary:-1",
        "rms_norm:bf16:boundary:99999999999999999999", "rms_norm:bf16:boundary:1:S", "rms_norm:bf16:boundary:1:Sx",
        "rms_norm:bf16:boundary:1:S1:H2", "rms_norm:bf16:boundary:1:S1,"}) {
    EXPECT_THROW(static_cast<void>(cases::parse_case(text, cases::drawn_components())), Error) << text;
  }
}

/// An infinity is exact, so values computed from it have no error.
TEST(BoundedInfinity, HasNoErrorAndLeavesNone) {
  const Bounded hidden = exponential(Bounded(1.0, 0.1, 0.2) + Bounded(-kInfinity));

  EXPECT_EQ(hidden.value, 0.0);
  EXPECT_EQ(hidden.error(), 0.0);
}

}  // namespace
}  // namespace parity::faults
