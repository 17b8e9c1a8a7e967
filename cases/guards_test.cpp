// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Every kernel of the registry passes every guard. Kernels that break one each show that every guard can fail.
#include "cases/guards.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/components/activation/silu.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"
#include "reference/test_call.hpp"

namespace parity::cases {
namespace {

using State = GuardResult::State;

/// Returns a kernel out = x, element by element, for any layout. `damage` gets the operands afterwards.
template <class Damage>
ErasedKernel copying(const Damage& damage) {
  return [damage](const Arguments& in, const ParamMap&, const Arguments& out, Context&) {
    const TensorView& x = in.front().tensors.front();
    const TensorView& y = out.front().tensors.front();
    auto* target = reinterpret_cast<double*>(y.data);
    for (int64_t i = 0; i < x.count(); ++i) target[i] = x.value(i);
    damage(x, target, x.count());
  };
}

class Guards : public ::testing::Test {
 protected:
  Guards() : call_("silu") { call_.in("x", {3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}).out(output(), {3, 4}); }

  [[nodiscard]] std::string output() const { return call_.definition().outputs.front().name; }
  [[nodiscard]] GuardResults check(const ErasedKernel& kernel) const { return check_guards({kernel, call_.call()}); }
  /// Returns the guards that a kernel breaks.
  static std::vector<Guard> broken(const GuardResults& results) {
    std::vector<Guard> guards;
    for (const Guard guard : kGuards) {
      if (at(results, guard).state == State::broken) guards.push_back(guard);
    }
    return guards;
  }
  static const GuardResult& at(const GuardResults& results, Guard guard) { return results[static_cast<size_t>(guard)]; }

  reference::TestCall call_;
};

TEST_F(Guards, HoldOnAKernelThatDoesItsDuty) {
  EXPECT_EQ(broken(check(copying([](const TensorView&, double*, int64_t) {}))), std::vector<Guard>{});
}

TEST_F(Guards, CountTheElementsThatNobodyWrote) {
  const ErasedKernel kernel = [](const Arguments& in, const ParamMap&, const Arguments& out, Context&) {
    const TensorView& x = in.front().tensors.front();
    for (int64_t i = 0; i < 8; ++i) reinterpret_cast<double*>(out.front().tensors.front().data)[i] = x.value(i);
  };
  const GuardResults results = check(kernel);

  EXPECT_EQ(broken(results), std::vector<Guard>{Guard::written});
  EXPECT_EQ(at(results, Guard::written).count, 4);
  EXPECT_EQ(at(results, Guard::written).detail, "4 output elements unwritten, the first is element 8 of " + output());
}

TEST_F(Guards, SeeAnOutputThatIsAddedTo) {
  const ErasedKernel kernel = [](const Arguments& in, const ParamMap&, const Arguments& out, Context&) {
    const TensorView& x = in.front().tensors.front();
    for (int64_t i = 0; i < x.count(); ++i)
      reinterpret_cast<double*>(out.front().tensors.front().data)[i] += x.value(i);
  };
  const GuardResults results = check(kernel);

  EXPECT_EQ(broken(results), std::vector<Guard>{Guard::written});
  EXPECT_NE(at(results, Guard::written).detail.find("held before"), std::string::npos);
}

TEST_F(Guards, SeeWritesOnBothSidesOfAnOutput) {
  for (const int64_t offset : {-1, 12}) {
    const GuardResults results =
        check(copying([offset](const TensorView&, double* out, int64_t) { out[offset] = 1.0; }));

    EXPECT_EQ(broken(results), std::vector<Guard>{Guard::canaries}) << offset;
  }
}

TEST_F(Guards, SeeAChangedInput) {
  const GuardResults results = check(copying(
      [](const TensorView& x, double*, int64_t) { *reinterpret_cast<double*>(x.data + 8 * x.offset(5)) = 0.0; }));

  EXPECT_EQ(broken(results), std::vector<Guard>{Guard::inputs});
  EXPECT_EQ(at(results, Guard::inputs).count, 3);  // one element in each of three runs
  EXPECT_EQ(at(results, Guard::inputs).detail, "element 5 of x");
}

TEST_F(Guards, SeeAChangedMemberOfABank) {
  reference::TestCall experts("moe_experts");
  experts.in("x", {1, 2}, {1, 2}).ids("indices", {1, 1}, {0}).in("weights", {1, 1}, {1});
  experts.bank("gate_up", {2, 2}, {{1, 2, 3, 4}}).bank("down", {2, 1}, {{1, 2}}).out("out", {1, 2});
  const auto bank = static_cast<size_t>(experts.definition().input_index("down"));
  const ErasedKernel kernel = [bank](const Arguments& in, const ParamMap&, const Arguments& out, Context&) {
    in[bank].bank->member(0).f64()[1] = 7.0;
    std::fill_n(reinterpret_cast<double*>(out.back().tensors.front().data), 2, 0.0);
  };
  const GuardResults results = check_guards({kernel, experts.call()});

  EXPECT_EQ(broken(results), std::vector<Guard>{Guard::inputs});
}

TEST_F(Guards, SeeAKernelThatIgnoresStrides) {
  const ErasedKernel kernel = [](const Arguments& in, const ParamMap&, const Arguments& out, Context&) {
    const TensorView& x = in.front().tensors.front();
    std::copy_n(reinterpret_cast<const double*>(x.data), x.count(),
                reinterpret_cast<double*>(out.front().tensors.front().data));
  };

  EXPECT_EQ(broken(check(kernel)), std::vector<Guard>{Guard::layouts});
}

TEST_F(Guards, SeeAKernelThatRemembersItsCalls) {
  const auto calls = std::make_shared<double>(0.0);
  const GuardResults results =
      check(copying([calls](const TensorView&, double* out, int64_t) { out[3] += * calls += 1.0; }));

  EXPECT_EQ(broken(results), std::vector<Guard>{Guard::repeatable});
  EXPECT_EQ(at(results, Guard::layouts).state, State::unjudged);
  EXPECT_EQ(at(results, Guard::threads).state, State::unjudged);
}

TEST_F(Guards, SeeAResultThatDependsOnTheNumberOfThreads) {
  const GuardResults results = check(
      copying([](const TensorView&, double* out, int64_t) { out[11] += static_cast<double>(omp_get_max_threads()); }));

  EXPECT_EQ(broken(results), std::vector<Guard>{Guard::threads});
}

/// Returns a kernel out = x that copies through a block of scratch memory. `damage` gets the block before and after.
template <class Before, class After>
ErasedKernel by_scratch(const Before& before, const After& after) {
  return [before, after](const Arguments& in, const ParamMap&, const Arguments& out, Context& context) {
    const TensorView& x = in.front().tensors.front();
    auto* block = context.workspace->take_elements<double>(static_cast<size_t>(x.count()));
    before(block);
    for (int64_t i = 0; i < x.count(); ++i) block[i] = x.value(i);
    std::copy_n(block, x.count(), reinterpret_cast<double*>(out.front().tensors.front().data));
    after(block, reinterpret_cast<double*>(out.front().tensors.front().data));
  };
}
constexpr auto kNothing = [](auto*...) {};

TEST_F(Guards, HoldOnAKernelThatWritesItsScratchBeforeItReadsIt) {
  const GuardResults results = check(by_scratch(kNothing, kNothing));

  EXPECT_EQ(broken(results), std::vector<Guard>{});
  EXPECT_EQ(at(results, Guard::workspace).state, State::holds);
}

TEST_F(Guards, SayThatAKernelTookNoScratch) {
  EXPECT_EQ(at(check(copying([](const TensorView&, double*, int64_t) {})), Guard::workspace).state, State::idle);
}

TEST_F(Guards, SeeAKernelThatReadsStaleScratch) {
  const auto sum = std::make_shared<double>(0.0);
  const ErasedKernel kernel =
      by_scratch([sum](const double* block) { *sum = block[0]; }, [sum](auto*, double* out) { out[2] += *sum; });
  const ErasedKernel largest =  // like an uninitialised running maximum: NaN has no effect on it, numbers have
      by_scratch([sum](const double* block) { *sum = std::fmax(-1e3, block[11]); },
                 [sum](auto*, double* out) { out[2] += *sum; });

  for (const ErasedKernel& reads : {kernel, largest}) {
    const GuardResults results = check(reads);
    EXPECT_EQ(broken(results), std::vector<Guard>{Guard::workspace});
    EXPECT_GT(at(results, Guard::workspace).count, 0);
    EXPECT_EQ(at(results, Guard::workspace).detail,
              "element 2 of " + output() + " depends on what the workspace held before");
  }
}

TEST_F(Guards, SeeWritesOnBothSidesOfScratch) {
  for (const int64_t offset : {-8, -1, 12, 19}) {
    const GuardResults results = check(by_scratch(kNothing, [offset](double* block, double*) { block[offset] = 1.0; }));

    EXPECT_EQ(broken(results), std::vector<Guard>{Guard::workspace}) << offset;
    EXPECT_EQ(at(results, Guard::workspace).detail, "written outside workspace block 0 of 96 bytes");
  }
}

TEST_F(Guards, SeeAKernelThatKeepsItsScratchForTheNextCall) {
  const auto kept = std::make_shared<double*>(nullptr);
  const auto last = [kept](double* block, double*) {
    if (*kept != nullptr) (*kept)[0] = 7.0;
    *kept = block;
  };
  const auto first = [kept](double* block, double* out) {  // only reads, and finds bytes other than those that it left
    if (*kept == nullptr) *kept = block;
    out[0] += (*kept)[0];
  };

  const GuardResults written = check(by_scratch(kNothing, last));
  EXPECT_EQ(broken(written), std::vector<Guard>{Guard::workspace});
  EXPECT_NE(at(written, Guard::workspace).detail.find("after the call ended"), std::string::npos);
  *kept = nullptr;
  EXPECT_EQ(broken(check(by_scratch(kNothing, first))), std::vector<Guard>{Guard::repeatable});
}

TEST_F(Guards, LeaveTheNumberOfThreadsAsItWas) {
  const int before = omp_get_max_threads();
  static_cast<void>(check(copying([](const TensorView&, double*, int64_t) {})));

  EXPECT_EQ(omp_get_max_threads(), before);
}

TEST_F(Guards, BoundsAreOutputsToo) {
  KernelCall call = call_.call();
  call.bounded = true;
  const GuardResults results = check_guards({copying([](const TensorView&, double*, int64_t) {}), call});

  EXPECT_EQ(at(results, Guard::written).count, 24);  // rounding and noise of twelve elements
}

class GuardsOfEveryKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(GuardsOfEveryKernel, Hold) {
  const auto kernels = run_guards(reference::registry(), {GetParam(), 6});

  ASSERT_EQ(kernels.size(), 2U);
  for (const KernelGuards& kernel : kernels) {
    EXPECT_TRUE(kernel.holds()) << kernel.variant << ": " << kernel.detail;
    EXPECT_EQ(kernel.calls, 18);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, GuardsOfEveryKernel, ::testing::ValuesIn(reference::registry().components()),
                         [](const auto& test) { return test.param; });

size_t kernels_of(const Registry& registry, const std::string& component) {
  const auto& all = registry.kernels();
  return static_cast<size_t>(
      std::count_if(all.begin(), all.end(), [&](const KernelEntry& kernel) { return kernel.component == component; }));
}

class GuardsOfEveryNativeKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(GuardsOfEveryNativeKernel, Hold) {
  const auto kernels = run_native_guards(optimized::registry(), {GetParam(), 6});

  ASSERT_EQ(kernels.size(), kernels_of(optimized::registry(), GetParam()));
  for (const KernelGuards& kernel : kernels) {
    EXPECT_TRUE(kernel.holds()) << kernel.variant << ": " << kernel.detail;
    EXPECT_EQ(kernel.calls, 18);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, GuardsOfEveryNativeKernel, ::testing::ValuesIn(optimized::registry().components()),
                         [](const auto& test) { return test.param; });

class GuardsOfEveryFusedKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(GuardsOfEveryFusedKernel, Hold) {
  const auto kernels = run_native_guards(optimized::fusions().kernels(), {GetParam(), 6});

  ASSERT_EQ(kernels.size(), kernels_of(optimized::fusions().kernels(), GetParam()));
  for (const KernelGuards& kernel : kernels) {
    EXPECT_TRUE(kernel.holds()) << kernel.variant << ": " << kernel.detail;
    EXPECT_EQ(kernel.calls, 18);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, GuardsOfEveryFusedKernel,
                         ::testing::ValuesIn(optimized::fusions().kernels().components()),
                         [](const auto& test) { return test.param; });

TEST(NativeGuards, HaveTheKeysThatReportsAlwaysHad) {
  std::vector<std::string> keys;
  for (const Guard guard : kGuards) keys.push_back(key_of(guard));
  EXPECT_EQ(keys, (std::vector<std::string>{"every element written", "nothing beside", "inputs kept", "same twice",
                                            "any layout", "any threads", "any scratch", "as a graph", "ids refused"}));
}

/// An unwritten element of two bytes is detected by itself.
TEST(NativeGuards, SeeAnUnwrittenElementOfAnyWidth) {
  Registry registry;
  registry.add<Silu>("cpu", "bf16",
                     [](const Silu::Inputs& in, const Silu::Params&, const Silu::Outputs& out, Context&) {
                       const auto x = in.x.as<BFloat16, 2>();                                                  // (N, F)
                       for (int64_t i = 0; i + 1 < x.extent[0] * x.extent[1]; ++i)
                         reinterpret_cast<BFloat16*>(out.out.data)[i] = {0};
                     });
  const auto kernels = run_native_guards(registry, {"silu", 1});

  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_GT(kernels.front().broken[static_cast<size_t>(Guard::written)], 0);
  EXPECT_NE(kernels.front().detail.find("1 output elements unwritten"), std::string::npos) << kernels.front().detail;
  EXPECT_EQ(kernels.front().broken[static_cast<size_t>(Guard::canaries)], 0);
}

/// A kernel that reads rows of more than 256 channels as if they were contiguous, as a vector path may.
TEST(NativeGuards, TryLayoutsAcrossTilesToo) {
  Registry registry;
  registry.add<Silu>("cpu", "f32", [](const Silu::Inputs& in, const Silu::Params&, const Silu::Outputs& out, Context&) {
    const auto x = in.x.as<float, 2>();                                                                        // (N, F)
    const bool wide = x.extent[1] > 256;
    for (int64_t i = 0; i < x.extent[0] * x.extent[1]; ++i) {
      const int64_t row = i / x.extent[1], channel = i % x.extent[1];
      reinterpret_cast<float*>(out.out.data)[i] = wide ? x.data[i] : x(row, channel);
    }
  });
  GuardOptions options{"silu", 1};
  const auto layouts_broken = [&] {
    return run_native_guards(registry, options).front().broken[static_cast<size_t>(Guard::layouts)];
  };

  EXPECT_EQ(layouts_broken(), 0);
  options.tiles = true;
  EXPECT_GT(layouts_broken(), 0);
}

}  // namespace
}  // namespace parity::cases
