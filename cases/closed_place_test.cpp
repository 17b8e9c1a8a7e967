// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels at a place whose memory the host may not access. This tests without a device what the battery and guards must
// do for one. Code that accesses an operand other than through its place ends the test with SIGSEGV.
#include "core/testing/closed_place.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "cases/guards.hpp"
#include "cases/native_case.hpp"
#include "optimized/registry.hpp"

namespace parity::cases {
namespace {

using testing_support::ClosedPlace;

Place& closed(int) {
  static ClosedPlace place;
  return place;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

std::string name_of(const KernelEntry& kernel) {
  return kernel.component + "_" + kernel.backend + "_" + kernel.variant;
}

struct Kernel {
  KernelEntry entry;
};
std::ostream& operator<<(std::ostream& stream, const Kernel& kernel) { return stream << name_of(kernel.entry); }

class AtAClosedPlace : public ::testing::TestWithParam<Kernel> {};

TEST_P(AtAClosedPlace, AKernelGivesTheSameBitsAndHoldsUnderTheGuards) {
  const KernelEntry& here = GetParam().entry;
  const bool fused = optimized::fusions().kernels().find(here.component, here.backend, here.variant) != nullptr;
  const Registry& registry = fused ? optimized::fusions().kernels() : optimized::registry();
  const Definition& definition = registry.component(here.component);
  KernelEntry there = here;
  there.run = ClosedPlace::here(here.run);
  there.place = &closed;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const DrawnCase drawn = draw_case({here.component, *parse_dtype(here.variant), Lane::anywhere, seed, {}});
    const auto expected = run_native(drawn, here, definition), found = run_native(drawn, there, definition);
    ASSERT_EQ(expected.size(), found.size());
    for (const auto& [tap, tensor] : expected) EXPECT_TRUE(same_bits(tensor, found.at(tap))) << tap;
    if (seed > 0) continue;
    const KernelCall call = native_call(drawn, definition);
    for (const GuardResult& result : check_guards({there.run, call, closed(0)})) {
      const bool fine = result.state == GuardResult::State::holds || result.state == GuardResult::State::idle;
      EXPECT_TRUE(fine) << result.detail;
    }
  }
}

std::vector<Kernel> own_kernels() {
  std::vector<Kernel> all;
  for (const Registry* registry : {&optimized::registry(), &optimized::fusions().kernels()}) {
    for (const KernelEntry& kernel : registry->kernels()) {
      if (kernel.place(0).is_host_memory()) all.push_back({kernel});
    }
  }
  return all;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AtAClosedPlace);
INSTANTIATE_TEST_SUITE_P(Registry, AtAClosedPlace, ::testing::ValuesIn(own_kernels()),
                         [](const auto& test) { return name_of(test.param.entry); });

}  // namespace
}  // namespace parity::cases
