// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cases of kind `large`: a kernel that is wrong only where two pieces of its shared-out rows meet fails in these, and
// in no other kind of case.
#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "cases/battery.hpp"
#include "cases/drawn/large.hpp"
#include "faults/computed.hpp"
#include "optimized/cpu/parallel.hpp"
#include "optimized/registry.hpp"

namespace parity::faults {
namespace {

/// Returns residual_add in binary32, rows shared out as in elementwise.hpp. Calls `spoil` for every piece of (N, H).
cases::CaseKernel shared_out(const std::function<void(Tensor&, const Tensor&, int64_t, int64_t)>& spoil) {
  return {[spoil](const cases::DrawnCase& drawn, const replay::Evaluator& evaluator) {
    auto outputs = cases::oracle().run(drawn, evaluator);
    const DType dtype = outputs.at("out").dtype();
    Tensor out = widen(outputs.at("out").view());
    const Tensor& residual = drawn.taps.at("in/residual").exact;
    const int64_t width = std::max<int64_t>(out.shape().back(), 1), rows = out.view().count() / width;
    cpu::in_pieces(rows, std::max<int64_t>((int64_t{1} << 15) / width, 1),
                   [&](int64_t first, int64_t last) { spoil(out, residual, first, last); });
    outputs["out"] = convert(out.view(), dtype);
    return outputs;
  }};
}

cases::CaseKernel without_branch_in_first_row() {
  return shared_out([](Tensor& out, const Tensor& residual, int64_t first, int64_t) {
    const int64_t width = out.shape().back();
    if (first > 0) std::copy_n(residual.f64() + first * width, width, out.f64() + first * width);
  });
}

cases::CaseKernel without_last_row() {
  return shared_out([](Tensor& out, const Tensor&, int64_t, int64_t last) {
    const int64_t width = out.shape().back();
    if (last * width < out.view().count())  // the last piece is complete
      std::fill_n(out.f64() + (last - 1) * width, width, std::numeric_limits<double>::quiet_NaN());
  });
}

cases::BatteryOptions all_lanes() {
  cases::BatteryOptions options;
  options.cases = 60;
  options.types = {DType::bf16};
  return options;
}

TEST(LargeLane, AloneFindsARowWithoutItsBranchAtTheHeadOfAPiece) {
  cases::BatteryOptions large = all_lanes(), others = all_lanes();
  large.lanes = {cases::Lane::large};
  large.brief = true;  // reducing a large case takes long
  others.large = 0;

  EXPECT_EQ(cases::run_battery("residual_add", without_branch_in_first_row(), large).failed, 1);
  EXPECT_EQ(cases::run_battery("residual_add", without_branch_in_first_row(), others).failed, 0);
}

TEST(LargeLane, AloneFindsARowThatIsNotWrittenAtTheEndOfAPiece) {
  cases::BatteryOptions large = all_lanes(), others = all_lanes();
  large.lanes = {cases::Lane::large};
  others.large = 0;
  const cases::BatteryResult battery = cases::run_battery("residual_add", without_last_row(), large);

  EXPECT_EQ(battery.failed, 1);
  EXPECT_EQ(cases::run_battery("residual_add", without_last_row(), others).failed, 0);
  ASSERT_TRUE(battery.first.has_value());
  EXPECT_NE(battery.first->found_where, battery.first->record.where);  // rows of several pieces; reduced, of one
}

TEST(LargeLane, HasRowsForSeveralPiecesOfEveryNativeKernel) {
  for (const KernelEntry& entry : optimized::registry().kernels()) {
    if (entry.variant != "bf16" || !cases::no_large_cases(entry.component).empty()) continue;
    for (uint64_t seed = 0; seed < 3; ++seed) {
      const cases::DrawnCase drawn = cases::draw_case({entry.component, DType::bf16, cases::Lane::large, seed, {}});
      EXPECT_TRUE(cases::large_elements(drawn) >= cases::kLargeElements ||
                  !cases::smaller_large_cases(entry.component).empty())
          << entry.component << " " << drawn.text();
    }
  }
}

/// Reducing a failing case sets its extents.
TEST(LargeLane, HasGivenExtentsLikeAnyCase) {
  const cases::DrawnCase drawn =
      cases::draw_case({"rms_norm", DType::f32, cases::Lane::large, 3, {{'S', 5}, {'H', 7}}});

  EXPECT_EQ(drawn.plan.sizes.at(0).at('S'), 5);
  EXPECT_EQ(drawn.plan.sizes.at(0).at('H'), 7);
}

TEST(LargeLane, TheReferenceAndTheNativeKernelsHold) {
  for (const char* component : {"rms_norm", "partial_rope", "attention_dense"}) {
    const cases::CaseSpec spec{component, DType::bf16, cases::Lane::large, 1, {}};
    EXPECT_FALSE(cases::is_wrong(cases::worst_record(spec, cases::oracle()))) << component;
    EXPECT_FALSE(cases::is_wrong(cases::worst_record(spec, cases::with_backend("cpu")))) << component;
  }
}

}  // namespace
}  // namespace parity::faults
