// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/fresh_verdict.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sys/random.h>

#include "cases/drawn/exact.hpp"
#include "cases/refused.hpp"
#include "core/text.hpp"

namespace parity::cases {
namespace {

constexpr int64_t kEnough = 3;  // failures

uint64_t unforeseen_seed() {
  uint64_t seed = 0;
  ssize_t count = 0;
  while ((count = getrandom(&seed, sizeof seed, 0)) < 0 && errno == EINTR) {}
  PARITY_CHECK(count == sizeof seed, device, "the operating system returned no random seed (getrandom)");
  return seed;
}

class FreshCases {
 public:
  FreshCases(const Plugin& plugin, const FreshOptions& options) : options_(options) {
    kernel_ = with_kernels("the kernel", [&plugin](const std::string& component, DType working) {
      for (const KernelEntry& entry : plugin.kernels().kernels()) {
        if (entry.component == component && entry.variant == to_string(working))
          return NativeKernel{&entry, &plugin.kernels().component(component)};
      }
      return NativeKernel{};
    });
  }

  void judge(const std::string& component, DType working) {
    constexpr std::array kTurns{Lane::boundary, Lane::anywhere, Lane::exact, Lane::boundary, Lane::special};
    const bool exact = no_exact_cases(component, working).empty();
    for (int64_t i = 0; i < options_.cases && verdict.failed < kEnough; ++i) {
      const Lane lane = kTurns[static_cast<size_t>(i) % kTurns.size()];
      (void)holds({component, working, lane == Lane::exact && !exact ? Lane::anywhere : lane, unforeseen_seed(), {}});
    }
  }

  /// Calls of equal extents, so that their times can be compared, and of other numbers, so that no result can be kept.
  void time(const std::string& component, DType working) {
    CaseSpec spec{component, working, Lane::anywhere, unforeseen_seed(), options_.extents};
    spec.given = draw_case(spec).drawn;
    FreshTime time{spec, {}};
    for (int64_t i = 0; i < options_.timed; ++i, spec.seed = unforeseen_seed()) {
      if (!holds(spec)) return;
      time.seconds.push_back(Plugin::seconds_of_last_call());
    }
    verdict.times.push_back(std::move(time));
  }

  FreshVerdict verdict;

 private:
  bool holds(const CaseSpec& spec) {
    try {
      compare::Record record = worst_record(spec, kernel_);
      ++verdict.cases;
      verdict.mistrusted += record.status == compare::Status::mistrusted ? 1 : 0;
      if (!is_wrong(record)) return true;
      ++verdict.failed;
      verdict.errors += record.status == compare::Status::error ? 1 : 0;
      if (!verdict.first) verdict.first = {spec, std::move(record)};
    } catch (const Refused&) {
      ++verdict.refused;
    }
    return false;
  }

  const FreshOptions& options_;
  CaseKernel kernel_;
};

}  // namespace

FreshVerdict fresh_verdict(const Plugin& plugin, const FreshOptions& options) {
  FreshCases cases(plugin, options);
  std::vector<std::string> known;
  for (const DescribedKernel& kernel : plugin.description().kernels) known.push_back(kernel.component);
  const bool has = options.component.empty() || std::find(known.begin(), known.end(), options.component) != known.end();
  PARITY_CHECK(has, usage, "the component of the kernel has no output '{}'{}", options.component,
               did_you_mean(options.component, known));
  const auto each = [&](const auto& body) {
    for (const DescribedKernel& kernel : plugin.description().kernels) {
      for (const DType working : kernel.types) {
        if (options.component.empty() || options.component == kernel.component) body(kernel.component, working);
      }
    }
  };
  each([&](const std::string& component, DType working) { cases.judge(component, working); });
  each([&](const std::string& component, DType working) {
    if (cases.verdict.right() && options.timed > 0) cases.time(component, working);
  });
  if (!cases.verdict.right()) cases.verdict.times.clear();
  return std::move(cases.verdict);
}

}  // namespace parity::cases
