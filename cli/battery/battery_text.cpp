// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What `parity battery` prints.

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cases/drawn/exact.hpp"
#include "cases/drawn/large.hpp"
#include "cli/battery/battery_parts.hpp"
#include "cli/terminal/terminal.hpp"
#include "reports/text/format.hpp"
#include "reports/text/record_text.hpp"
#include "reports/text/summary.hpp"
#include "reports/text/table.hpp"
#include "reports/text/terminal.hpp"
#include "reports/text/wrap.hpp"

namespace parity::cli {
namespace {

using cases::BatteryResult;
using Json = nlohmann::ordered_json;

bool asks_for(const cases::BatteryOptions& run, cases::Lane lane) {
  return std::find(run.lanes.begin(), run.lanes.end(), lane) != run.lanes.end();
}

/// Prints how many cases a binding's conditions changed or excluded.
void print_required(const BatteryResult& battery, const JudgedKernel& kernel) {
  if (battery.changed + battery.skipped == 0) return;
  if (!kernel.foreign) {
    fmt::print("{} cases of {} were skipped, because the kernel refused them\n", battery.skipped, battery.component);
    return;
  }
  const std::string line =
      fmt::format("because the binding requires {}, {} cases got other extents and {} were skipped",
                  kernel.foreign->conditions(), battery.changed, battery.skipped);
  fmt::print("{}\n", reports::wrapped(line, terminal_width(), 4, 0));
}

}  // namespace

void print_failure(compare::Record record, const JudgedKernel& kernel, const cases::CaseSpec& spec) {
  record.repro = kernel.repro(spec);
  fmt::print("{}", reports::failing_block(record, terminal_style(false)));
}

void print_inexact(const std::vector<std::string>& components, const JudgedKernel& kernel,
                   const cases::BatteryOptions& run) {
  if (!asks_for(run, cases::Lane::exact)) return;
  std::map<std::string, std::set<std::string>> left_out;  // component:type, by reason
  for (const std::string& component : components) {
    for (const DType type : run.types) {
      if (kernel.wanted && !kernel.wanted({component, type, cases::Lane::exact, 0, {}})) continue;
      const std::string reason = cases::no_exact_cases(component, type);
      if (!reason.empty()) left_out[reason].insert(component + ":" + to_string(type));
    }
  }
  for (const auto& [reason, cells] : left_out)
    fmt::print("{}\n",
               reports::wrapped(fmt::format("lane exact (operands on which nothing rounds) has no cases of {}: {}",
                                            fmt::join(cells, " "), reason),
                                terminal_width(), 4, 0));
}

bool computes_inexact_only(const std::vector<std::string>& components, const JudgedKernel& kernel,
                           const cases::BatteryOptions& run) {
  if (run.lanes != std::vector{cases::Lane::exact} || !kernel.wanted) return false;
  return std::any_of(components.begin(), components.end(), [&](const std::string& component) {
    return std::any_of(run.types.begin(), run.types.end(), [&](DType type) {
      return kernel.wanted({component, type, cases::Lane::exact, 0, {}}) &&
             !cases::no_exact_cases(component, type).empty();
    });
  });
}

void print_not_large(const std::vector<BatteryResult>& batteries, const cases::BatteryOptions& run) {
  if (!asks_for(run, cases::Lane::large)) return;
  for (const BatteryResult& battery : batteries) {
    const std::string none = cases::no_large_cases(battery.component);
    const std::string smaller = cases::smaller_large_cases(battery.component);
    if (!none.empty()) fmt::print("lane large has no cases of {}: {}\n", battery.component, none);
    if (!smaller.empty()) fmt::print("large cases of {} have {}\n", battery.component, smaller);
  }
}

std::string nothing_ran_because(const BatteryOptions& options, const cases::BatteryOptions& run,
                                const JudgedKernel& kernel) {
  const auto components = components_of(options);
  const auto all = [&](const auto& has) { return std::all_of(components.begin(), components.end(), has); };
  const bool inexact = all([&](const std::string& component) {
    return std::none_of(run.types.begin(), run.types.end(),
                        [&](DType type) { return cases::no_exact_cases(component, type).empty(); });
  });
  const std::string names = fmt::format("{}", fmt::join(components, " "));
  if (run.lanes == std::vector{cases::Lane::exact} && inexact)
    return fmt::format(
        "lane exact (operands on which nothing rounds) has no cases of {}: {}; cases/drawn/exact_*.cpp draws them",
        names, cases::no_exact_cases(components.front(), run.types.front()));
  const bool nowhere_large = all([](const std::string& c) { return !cases::no_large_cases(c).empty(); });
  if (run.lanes == std::vector{cases::Lane::large} && nowhere_large)
    return fmt::format("lane large has no cases of {}: {}", names, cases::no_large_cases(components.front()));
  if (kernel.foreign && !kernel.foreign->conditions().empty())
    return fmt::format("no random case of {} fulfils the key 'requires' of the binding: {}; relax these conditions",
                       kernel.foreign->component(), kernel.foreign->conditions());
  if (options.kernel != "correct")
    return fmt::format("--kernel {} has no kernel of {}; parity list kernels lists the kernels of each backend",
                       options.kernel, names);
  return fmt::format(
      "--kernel correct has no second implementation of {} to compare with the reference; use --kernel reference, or "
      "--kernel BACKEND for a kernel to be tested",
      names);
}

std::string counts_text(const Json& components, const std::string& kernel) {
  std::vector<std::string> heads{"component", "cases", "mistrusted", "failed"};
  for (const cases::Lane lane : cases::kLanes) heads.emplace_back(to_string(lane));
  reports::Table table(heads, 1);
  for (const Json& battery : components) {
    std::vector<std::string> cells{battery.at("component").get<std::string>(),
                                   reports::count(battery.at("cases").get<int64_t>()),
                                   reports::count(battery.at("mistrusted").get<int64_t>()),
                                   fmt::format("{}", battery.at("failed").get<int64_t>())};
    for (const cases::Lane lane : cases::kLanes) {
      const bool ran = battery.at("cases_in").at(to_string(lane)).get<int64_t>() > 0;
      const auto failed = battery.at("failed_in").at(to_string(lane)).get<int64_t>();
      cells.push_back(ran ? fmt::format("{}", failed) : "not run");
    }
    table.add(std::move(cells));
  }
  return fmt::format("kernel {}\n{}", kernel, table.text("  ", terminal_width()));
}

std::string verdict_text(const Json& components) {
  const auto sum = [&](const char* field) {
    int64_t total = 0;
    for (const Json& battery : components) total += battery.at(field).get<int64_t>();
    return total;
  };
  const int64_t tiles = sum("tiles"), failed = sum("failed");
  const std::string across =
      tiles > 0
          ? fmt::format("{} cases have extents above a tile size of an inference engine's kernel (parity list tiles)\n",
                        tiles)
          : "";
  return fmt::format("{}{}  {} of {} cases failed; {} mistrusted (too few elements for a full check)\n", across,
                     verdict_word(failed == 0 ? "PASS" : "FAIL"), failed, sum("cases"), sum("mistrusted"));
}

namespace {

void print_first(const cases::CaseFailure& first, const JudgedKernel& kernel) {
  const std::string where = first.found_where;  // the slice that holds the errors
  const bool as_drawn = first.spec.text() == first.found.text();
  const std::string head =
      fmt::format("{} {}{} {} {}", as_drawn ? "drawn" : "reduced", first.found.text(),
                  where.empty() ? "" : " (where " + where + ")", as_drawn ? "as" : "to", first.text);
  fmt::print("{}\n", reports::wrapped(head, terminal_width(), 4, 0));
  print_failure(first.record, kernel, first.spec);
  const std::string values = reports::values_text(first.values);
  if (!values.empty()) fmt::print("     values {}\n", reports::wrapped(values, terminal_width(), 12));
}

}  // namespace

void print(const std::vector<BatteryResult>& batteries, const Json& components, const std::string& name,
           const JudgedKernel& kernel) {
  fmt::print("{}", counts_text(components, name));
  for (const BatteryResult& battery : batteries) {
    if (battery.first) print_first(*battery.first, kernel);
  }
  for (const BatteryResult& battery : batteries) print_required(battery, kernel);
  fmt::print("{}", verdict_text(components));
}

}  // namespace parity::cli
