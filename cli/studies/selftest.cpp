// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/studies/selftest.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cases/backends.hpp"
#include "cli/runs/candidate.hpp"
#include "cli/runs/choices.hpp"
#include "core/shipped.hpp"
#include "core/text.hpp"

namespace parity::cli {
namespace {

/// Returns the goldens that were named, or else the embedded ones.
std::vector<std::filesystem::path> goldens_of(const SelftestOptions& options) {
  if (!options.goldens.empty()) return {options.goldens.begin(), options.goldens.end()};
  constexpr const char* kEmbedded = "golden/data";
  PARITY_CHECK(std::filesystem::is_directory(shipped(kEmbedded)), not_found,
               "{}: no such folder; run in the repository root, or name goldens by path", kEmbedded);
  std::vector<std::filesystem::path> goldens;
  for (const char* folder : {kEmbedded, "golden/cut", "golden/processors"}) {
    if ((options.corruptions || options.value_corruptions || options.ranks) && folder != kEmbedded) continue;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(shipped(folder))) {
      if (std::filesystem::exists(entry.path() / "activations.h5")) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());  // a fixed order, on which the drawn cases depend
    goldens.insert(goldens.end(), found.begin(), found.end());
  }
  return goldens;
}

}  // namespace

int selftest(const SelftestOptions& options) {
  PARITY_CHECK(!options.corruptions || *options.corruptions > 0, usage, "--corruptions {} is too small; use 1 or more",
               options.corruptions.value_or(0));
  if (!options.candidate.empty() && !cases::has_kernels(options.candidate))
    planted_kernels().refuse("--candidate", options.candidate);
  PARITY_CHECK(!options.value_corruptions || *options.value_corruptions > 0, usage,
               "--value-corruptions {} is too small; use 1 or more", options.value_corruptions.value_or(0));
  PARITY_CHECK(options.components.empty() || options.guards, usage,
               "--components selects kernels for --guards; add --guards");
  PARITY_CHECK(options.backends.empty() || options.guards, usage,
               "--backends selects kernels for --guards; add --guards");
  if (options.guards) return selftest_guards(options);
  if (!options.engines.empty()) return selftest_engines(options);
  PARITY_CHECK(!options.false_alarms || *options.false_alarms > 0, usage,
               "--false-alarms {} is too small; use 1 or more runs", options.false_alarms.value_or(0));
  PARITY_CHECK(!options.false_alarms || !options.corruptions, usage,
               "--false-alarms and --corruptions are two studies; run one at a time");
  if (options.false_alarms) return selftest_false_alarms(options);
  const auto goldens = goldens_of(options);
  PARITY_CHECK(!options.damaged_captures || *options.damaged_captures > 0, usage,
               "--damaged-captures {} is too small; use 1 or more", options.damaged_captures.value_or(0));
  if (options.damaged_captures) return selftest_damaged_captures(options, goldens);
  PARITY_CHECK(!options.ranks || *options.ranks > 0, usage, "--ranks {} is too small; use 1 or more", *options.ranks);
  if (options.ranks) return selftest_ranks(options, goldens);
  if (options.leave_one_out) return selftest_leave_one_out(options, goldens);
  if (options.judges) return selftest_judges(options, goldens);
  if (options.value_corruptions) return selftest_value_corruptions(options, goldens);
  return options.corruptions ? selftest_corruptions(options, goldens) : selftest_faults(options, goldens);
}

}  // namespace parity::cli
