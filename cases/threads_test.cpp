// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Every CPU kernel, including fused ones, gives the same bits on one, two and three threads, at every level of the
// machine. The cases are large enough to be shared out, or have few tokens after many slots.
#include "cases/threads.hpp"

#include <gtest/gtest.h>

#include "cases/drawn/large.hpp"
#include "cases/native_case.hpp"
#include "optimized/cpu/level.hpp"
#include "optimized/registry.hpp"

namespace parity::cases {
namespace {

/// Extents that select a path: kernels have other paths for few tokens, and cut more than 4096 slots into pieces.
struct Extents {
  const char* name;
  int64_t sequences = 0, tokens = 0, history = 0;  // 0: as many rows as in the lane large
};
constexpr std::array kExtents{Extents{"ManyTokens", 2, 300, 340},
                              Extents{"OneToken", 2, 1, 4100},
                              Extents{"TwoTokens", 1, 2, 4300},
                              Extents{"FiveTokens", 1, 5, 4100},
                              Extents{"ManyTokensAfterManySlots", 1, 70, 4200},
                              Extents{"ManyRows"}};

CaseSpec spec_of(const KernelEntry& kernel, const Extents& extents, uint64_t seed) {
  CaseSpec spec{kernel.component, *parse_dtype(kernel.variant), Lane::anywhere, seed, {}};
  if (extents.tokens == 0) {
    spec.lane = Lane::large;
    return spec;
  }
  spec.given = {{'H', 129}, {'F', 129}, {'A', 8}, {'D', 64}, {'R', 32}, {'I', 64}, {'E', 9}, {'T', 4}};
  spec.given['B'] = extents.sequences;
  spec.given['S'] = extents.tokens;
  spec.given['Z'] = extents.history;
  spec.given['K'] = extents.tokens + extents.history;
  spec.given['N'] = extents.sequences * extents.tokens;
  return spec;
}

/// Returns the bytes of every output.
std::vector<std::byte> bytes_on(int threads, const KernelCall& call, const KernelEntry& kernel) {
  const Threads limited(threads);
  const PlacedCall placed(call, kernel.place(0));
  placed.poison(Poison::nan);
  placed.run(kernel.run);
  std::vector<std::byte> bytes;
  for (const auto& [field, output] : placed.outputs()) {
    const Tensor here = output.on_host();
    bytes.insert(bytes.end(), here.view().data, here.view().data + here.bytes());
  }
  return bytes;
}

struct SizedKernel {
  const Registry* registry;
  const KernelEntry* entry;
  Extents extents;

  [[nodiscard]] std::string name() const {
    return entry->component + "_" + entry->backend + "_" + entry->variant + "_" + extents.name;
  }
};
std::ostream& operator<<(std::ostream& stream, const SizedKernel& kernel) { return stream << kernel.name(); }

std::vector<SizedKernel> sized_kernels() {
  std::vector<SizedKernel> all;
  for (const Registry* registry : {&optimized::registry(), &optimized::fusions().kernels()}) {
    for (const KernelEntry& kernel : registry->kernels()) {
      if (!kernel.place(0).is_host_memory()) continue;  // a device has its own threads
      for (const Extents& extents : kExtents) {
        const bool large = extents.tokens == 0;
        if (!large || no_large_cases(kernel.component).empty()) all.push_back({registry, &kernel, extents});
      }
    }
  }
  return all;
}

class ThreadsOf : public ::testing::TestWithParam<SizedKernel> {};

TEST_P(ThreadsOf, ChangeNoBit) {
  const auto& [registry, kernel, extents] = GetParam();
  const cpu::Level before = cpu::level();
  for (uint64_t seed = 1; seed <= 2; ++seed) {  // one of the two draws has the optional operands
    const DrawnCase drawn = draw_case(spec_of(*kernel, extents, seed));
    const KernelCall call = native_call(drawn, registry->component(kernel->component));
    for (const cpu::Level level : cpu::kLevels) {
      if (level > cpu::highest_level()) continue;
      cpu::use_level(level);
      const auto alone = bytes_on(1, call, *kernel);
      EXPECT_FALSE(alone.empty());
      EXPECT_TRUE(bytes_on(2, call, *kernel) == alone) << to_string(level) << ", " << drawn.text();
      EXPECT_TRUE(bytes_on(3, call, *kernel) == alone) << to_string(level) << ", " << drawn.text();
    }
  }
  cpu::use_level(before);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ThreadsOf);
INSTANTIATE_TEST_SUITE_P(Registry, ThreadsOf, ::testing::ValuesIn(sized_kernels()),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace parity::cases
