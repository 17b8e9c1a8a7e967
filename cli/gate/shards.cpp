// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/gate/shards.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/battery/spread.hpp"
#include "core/error.hpp"
#include "core/shell.hpp"
#include "golden/golden.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"
#include "replay/spans/plan_work.hpp"

namespace parity::cli {
namespace {

/// Products that take as long as the other work on one number of a tap: judging it, and reading it from the file.
constexpr double kProductsPerByte = 40.0;
/// The cost of opening any golden, in products.
constexpr double kLeast = 1e6;

}  // namespace

double cost_of_plan(const Plan& plan) {
  const replay::PlanWork work = replay::work_of(plan, reference::registry());
  return kLeast + work.flops + kProductsPerByte * (work.read + work.written);
}

double cost_of_golden(const std::string& path) {
  try {
    return cost_of_plan(replay::plan_of(golden::Golden::open(path)));
  } catch (const Error&) {
    return kLeast;  // its shard reports what is wrong with it
  } catch (const std::filesystem::filesystem_error&) {
    return kLeast;
  }
}

std::optional<compare::Shard> shard_of(const RunOptions& options) {
  if (options.shard.empty()) return std::nullopt;
  const ShardNumber number = parse_shard(options.shard);
  PARITY_CHECK(options.manifest.empty() && options.write_manifest.empty(), usage,
               "a manifest lists all goldens, but --shard judges only some; give --manifest to parity merge");
  const auto total = static_cast<int64_t>(options.goldens.size());
  PARITY_CHECK(number.of <= std::max<int64_t>(total, 1), usage,
               "--shard {}: {} goldens are too few for {} shards; use at most {} shards", options.shard, total,
               number.of, total);
  std::vector<double> costs;
  for (const std::string& golden : options.goldens) costs.push_back(cost_of_golden(golden));
  const auto own = spread_costs(costs, number.of).at(static_cast<size_t>(number.index - 1));
  return compare::Shard{number.index, number.of, total, options.whole_command, {own.begin(), own.end()}, options.given};
}

std::string whole_command(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 7> kLeftOut{"--shard",  "--json",  "--html",    "--sarif",
                                                     "--source", "--junit", "--markdown"};
  constexpr std::array<std::string_view, 5> kFlags{"--quiet", "-v", "--verbose", "--taps", "--bit-equal"};
  std::vector<std::string> kept;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (std::find(kFlags.begin(), kFlags.end(), name) != kFlags.end()) continue;
    const bool left_out = std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end();
    if (!left_out) kept.push_back(words[i]);
    if (left_out && name == words[i]) ++i;  // its value is the next word
  }
  return shell_line(kept);
}

}  // namespace parity::cli
