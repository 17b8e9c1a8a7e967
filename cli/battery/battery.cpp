// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/battery.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cases/backends.hpp"
#include "cli/battery/battery_parts.hpp"
#include "cli/battery/foreign_guards.hpp"
#include "cli/battery/judged_kernel.hpp"
#include "cli/battery/spread.hpp"
#include "cli/commands.hpp"
#include "cli/reports/document.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "optimized/cuda_host/launch_counters.hpp"
#include "reports/counters/counters_text.hpp"

namespace parity::cli {
namespace {

using cases::BatteryResult;
using Json = nlohmann::ordered_json;

cases::CaseKernel compared_kernel(const BatteryOptions& options, cases::Differences& into) {
  PARITY_CHECK(cases::has_kernels(options.kernel), usage,
               "--beside compares two backends, but --kernel {} is no backend; parity doctor lists all backends",
               options.kernel);
  return cases::beside(options.kernel, options.beside, into);
}

void print_costs(const optimized::cuda::LaunchCounters& counters) {
  constexpr size_t kHeaviest = 8;  // lines of each launch
  PARITY_CHECK(
      !counters.launches().empty(), usage,
      "--counters counts CUDA kernels, but the case launched none; use --kernel cuda-host, cu:FILE or ptx:FILE");
  for (const auto& launch : counters.launches())
    fmt::print("{}", reports::counters_text(launch.counters, nullptr, kHeaviest));
}

int one_case(const BatteryOptions& options) {
  const cases::CaseSpec spec = cases::parse_case(options.only, cases::drawn_cases());
  const cases::DrawnCase drawn = cases::draw_case(spec);
  cases::require_given(spec, drawn.drawn, drawn.text());
  const JudgedKernel kernel = judged_kernel(options);
  std::optional<optimized::cuda::LaunchCounters> counters;
  if (options.counters) counters.emplace();
  const compare::Record record = cases::worst_record(spec, kernel.run);
  const bool green = record.status == compare::Status::pass;
  fmt::print("{}\n", cases::text_of(drawn, kernel.run));
  if (counters && green) print_costs(*counters);
  if (!green) print_failure(record, kernel, spec);
  fmt::print("{}  case {}\n",
             verdict_word(green                     ? "PASS"
                          : cases::is_wrong(record) ? "FAIL"
                                                    : "MISTRUSTED"),
             spec.text());
  return green ? holds : broken;
}

/// A kernel out of the tree computes few components; one with a binding computes one.
std::vector<std::string> components_of(const BatteryOptions& options, const JudgedKernel& kernel) {
  if (!kernel.foreign) {
    auto chosen = components_of(options);
    if (kernel.guards && options.components.empty())
      std::erase_if(chosen, [&](const std::string& component) {
        constexpr std::array kTypes{DType::f32, DType::bf16, DType::f16};
        return std::none_of(kTypes.begin(), kTypes.end(), [&](DType type) {
          return kernel.wanted({component, type, cases::Lane::boundary, 0, {}});
        });
      });
    return chosen;
  }
  const std::string& component = kernel.foreign->component();
  if (options.components.empty()) return {component};
  const auto chosen = components_of(options);
  PARITY_CHECK(std::find(chosen.begin(), chosen.end(), component) != chosen.end(), usage,
               "the binding of {} states that the kernel computes {}, not {}; remove COMPONENTS", options.kernel,
               component, fmt::join(options.components, " "));
  return {component};
}

/// What the options ask to run, of all cases or of a shard.
cases::BatteryOptions asked(const BatteryOptions& options, const JudgedKernel& kernel) {
  cases::BatteryOptions run{options.cases, options.large, true, options.seed, lanes_of(options)};
  run.wanted = kernel.wanted;
  run.brief = options.brief;
  if (options.shard.empty()) return run;
  const ShardNumber number = parse_shard(options.shard);
  PARITY_CHECK(number.of <= options.cases, usage,
               "--shard {}: {} cases per component are too few for {} shards; use fewer shards", options.shard,
               options.cases, number.of);
  run.shard = number.index - 1;
  run.shards = number.of;
  return run;
}

Json document_of(const BatteryOptions& options, const Json& components) {
  Json document{{"kernel", options.kernel}, {"components", components}};
  if (options.shard.empty()) return document;
  const ShardNumber number = parse_shard(options.shard);
  document["shard"] = {{"index", number.index}, {"of", number.of}, {"command", options.whole_command}};
  return document;
}

}  // namespace

int battery(const BatteryOptions& options) {
  PARITY_CHECK(options.only.empty() || options.components.empty(), usage,
               "--case already names the component; remove COMPONENTS from the command");
  if (!options.only.empty()) return one_case(options);
  if (options.faults) return battery_of_faults(options);
  JudgedKernel kernel = judged_kernel(options);
  cases::BatteryOptions run = asked(options, kernel);
  cases::Differences differences;
  if (!options.beside.empty()) kernel.run = compared_kernel(options, differences);
  std::vector<BatteryResult> batteries;
  Json components = Json::array();
  int64_t failed = 0;
  const auto names = components_of(options, kernel);
  for (const std::string& component : names) {
    ProgressBar bar(component, options.quiet);
    run.progress = [&](size_t done, size_t total) { bar.update(done, total); };
    BatteryResult battery = cases::run_battery(component, kernel.run, run);
    failed += battery.failed;
    if (battery.cases == 0) continue;
    components.push_back(battery_json(battery, kernel));
    batteries.push_back(std::move(battery));
  }
  if (batteries.empty() && options.shard.empty() && computes_inexact_only(names, kernel, run)) {
    print_inexact(names, kernel, run);
    return nothing_ran;
  }
  // Cases that a kernel excludes can leave a shard empty.
  PARITY_CHECK(!batteries.empty() || !options.shard.empty(), unsupported, "{}",
               nothing_ran_because(options, run, kernel));
  const ForeignGuards guards = failed == 0 ? foreign_guards(kernel) : ForeignGuards{};
  const bool right = failed == 0 && guards.hold() && same_bits(differences);
  const int exit_code = !right ? broken : batteries.empty() ? nothing_ran : holds;
  if (wants_document(options.json)) {
    Json document = document_of(options, components);
    if (kernel.guards) document["guards"] = guards.json();
    if (!options.beside.empty()) document["beside"] = beside_json(differences);
    write_document(options.json, "battery", exit_code, document);
  }
  if (options.json == "-") return exit_code;
  if (batteries.empty()) {
    complain(fmt::format("--shard {}: {}", options.shard, nothing_ran_because(options, run, kernel)));
    return exit_code;
  }
  print(batteries, components, options.kernel, kernel);
  print_inexact(names, kernel, run);
  print_not_large(batteries, run);
  if (kernel.guards) fmt::print("{}\n", guards.text());
  if (!options.beside.empty()) print_beside(differences, options.kernel, options.beside);
  return exit_code;
}

}  // namespace parity::cli
