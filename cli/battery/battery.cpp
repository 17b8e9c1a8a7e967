// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/battery.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cases/backends.hpp"
#include "cases/drawn/exact.hpp"
#include "cases/drawn/large.hpp"
#include "cli/battery/battery_parts.hpp"
#include "cli/battery/foreign_guards.hpp"
#include "cli/battery/judged_kernel.hpp"
#include "cli/commands.hpp"
#include "cli/reports/document.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/planted_case.hpp"
#include "optimized/cuda_host/launch_counters.hpp"
#include "reports/counters/counters_text.hpp"
#include "reports/files/files.hpp"
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

cases::CaseKernel compared_kernel(const BatteryOptions& options, cases::Differences& into) {
  PARITY_CHECK(cases::has_kernels(options.kernel), usage, "--beside compares two backends, and --kernel {} is none",
               options.kernel);
  return cases::beside(options.kernel, options.beside, into);
}

std::vector<std::string> components_of(const BatteryOptions& options) {
  std::vector<std::string> chosen;
  for (const std::string& component : cases::drawn_cases()) {
    const bool wanted =
        options.components.empty() || std::any_of(options.components.begin(), options.components.end(),
                                                  [&](const auto& glob) { return glob_match(glob, component); });
    if (wanted) chosen.push_back(component);
  }
  for (const std::string& glob : options.components) {
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const auto& c) { return glob_match(glob, c); });
    const std::string hint = did_you_mean(glob, cases::drawn_cases());
    PARITY_CHECK(known, usage, "no cases are drawn of '{}'{}; {}", glob, hint,
                 hint.empty() ? fmt::format("there are cases of {}", fmt::join(cases::drawn_cases(), ", "))
                              : "parity list shows all components");
  }
  return chosen;
}

void print_failure(compare::Record record, const JudgedKernel& kernel, const cases::CaseSpec& spec) {
  record.repro = kernel.repro(spec);
  fmt::print("{}", reports::failing_block(record, terminal_style(false)));
}

void print_costs(const optimized::cuda::LaunchCounters& counters) {
  constexpr size_t kHeaviest = 8;  // lines of each launch
  PARITY_CHECK(!counters.launches().empty(), usage,
               "--counters: nothing was launched; it counts kernels of cuda-host, cu:FILE and ptx:FILE");
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

std::vector<cases::Lane> lanes_of(const BatteryOptions& options) {
  std::vector<cases::Lane> lanes;
  for (const std::string& word : options.lanes) {
    const cases::Lane lane = cases::parse_lane(word, "--lanes");
    if (std::find(lanes.begin(), lanes.end(), lane) == lanes.end()) lanes.push_back(lane);
  }
  if (!lanes.empty()) return lanes;
  lanes.assign(cases::kLanes.begin(), cases::kLanes.end());
  const bool shares_out = cases::is_backend(options.kernel) || cases::is_foreign(options.kernel);
  if (!shares_out) std::erase(lanes, cases::Lane::large);  // others use no threads
  return lanes;
}

bool asks_for(const cases::BatteryOptions& run, cases::Lane lane) {
  return std::find(run.lanes.begin(), run.lanes.end(), lane) != run.lanes.end();
}

/// Prints which components have no exact cases, with one line for each reason.
void print_inexact(const std::vector<std::string>& components, const JudgedKernel& kernel,
                   const cases::BatteryOptions& run) {
  if (!asks_for(run, cases::Lane::exact)) return;
  std::map<std::string, std::set<std::string>> left_out;  // component:type, by reason
  for (const std::string& component : components) {
    for (const DType type : run.types) {
      if (kernel.guards && !kernel.wanted({component, type, cases::Lane::exact, 0, {}})) continue;
      const std::string reason = cases::no_exact_cases(component, type);
      if (!reason.empty()) left_out[reason].insert(component + ":" + to_string(type));
    }
  }
  for (const auto& [reason, cells] : left_out)
    fmt::print("{}\n",
               reports::wrapped(fmt::format("there are no exact cases of {}: {}", fmt::join(cells, " "), reason),
                                terminal_width(), 4, 0));
}

/// Whether the exact lane alone is asked for, and what the kernel computes has no case there.
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

/// Prints which components have no large cases, and which have large cases with fewer rows than usual.
void print_not_large(const std::vector<BatteryResult>& batteries, const cases::BatteryOptions& run) {
  if (!asks_for(run, cases::Lane::large)) return;
  for (const BatteryResult& battery : batteries) {
    const std::string none = cases::no_large_cases(battery.component);
    const std::string smaller = cases::smaller_large_cases(battery.component);
    if (!none.empty()) fmt::print("there are no large cases of {}: {}\n", battery.component, none);
    if (!smaller.empty()) fmt::print("large cases of {} have {}\n", battery.component, smaller);
  }
}

/// Returns why no case ran: the only lane asked for has no cases of these components, or the kernel is missing.
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
    return fmt::format("there are no exact cases of {}: {}; recipes are in cases/drawn/exact_*.cpp", names,
                       cases::no_exact_cases(components.front(), run.types.front()));
  const bool nowhere_large = all([](const std::string& c) { return !cases::no_large_cases(c).empty(); });
  if (run.lanes == std::vector{cases::Lane::large} && nowhere_large)
    return fmt::format("there are no large cases of {}: {}", names, cases::no_large_cases(components.front()));
  if (kernel.foreign && !kernel.foreign->conditions().empty())
    return fmt::format("no drawn case of {} fulfils what the binding requires: {}; check 'requires'",
                       kernel.foreign->component(), kernel.foreign->conditions());
  if (options.kernel != "correct")
    return fmt::format("{} has no kernel of {}; see parity list kernels", options.kernel, names);
  return fmt::format(
      "nothing besides the reference computes {}: use --kernel reference, or --kernel BACKEND for a kernel of your "
      "own; "
      "a second correct implementation, with another order of operations, is added in cases/drawn/",
      names);
}

Json json_of(const BatteryResult& battery, const JudgedKernel& kernel) {
  Json json{{"component", battery.component},   {"cases", battery.cases}, {"failed", battery.failed},
            {"mistrusted", battery.mistrusted}, {"tiles", battery.tiles}, {"changed", battery.changed},
            {"skipped", battery.skipped}};
  for (const cases::Lane lane : cases::kLanes) {
    json["cases_in"][to_string(lane)] = battery.cases_in[static_cast<size_t>(lane)];
    json["failed_in"][to_string(lane)] = battery.failed_in[static_cast<size_t>(lane)];
  }
  if (battery.first)
    json["first"] = {{"found", battery.first->found.text()},      {"found_where", battery.first->found_where},
                     {"reduced", battery.first->spec.text()},     {"case", battery.first->text},
                     {"tap", battery.first->record.tap},          {"reason", battery.first->record.reason},
                     {"repro", kernel.repro(battery.first->spec)}};
  if (battery.first && !battery.first->record.findings.empty())
    json["first"]["findings"] = battery.first->record.findings;
  if (battery.first && battery.first->record.nan)
    json["first"]["nan"] = {{"never_written", battery.first->record.nan->never_written},
                            {"computed", battery.first->record.nan->computed}};
  if (battery.first && battery.first->values)
    json["first"]["values"] = {{"kind", to_string(battery.first->values->kind)},
                               {"axis", battery.first->values->axis},
                               {"detail", battery.first->values->detail}};
  return json;
}

/// Prints how many cases a binding's conditions changed or excluded.
void print_required(const BatteryResult& battery, const JudgedKernel& kernel) {
  if (battery.changed + battery.skipped == 0) return;
  if (!kernel.foreign) {
    fmt::print("the kernel refused {} cases of {}\n", battery.skipped, battery.component);
    return;
  }
  const std::string line = fmt::format("required is {}: {} cases got other extents for it, {} were skipped",
                                       kernel.foreign->conditions(), battery.changed, battery.skipped);
  fmt::print("{}\n", reports::wrapped(line, terminal_width(), 4, 0));
}

void print(const std::vector<BatteryResult>& batteries, const std::string& name, const JudgedKernel& kernel) {
  std::vector<std::string> heads{"component", "cases", "mistrusted", "failed"};
  for (const cases::Lane lane : cases::kLanes) heads.emplace_back(to_string(lane));
  reports::Table table(heads, 1);
  int64_t cases = 0, failed = 0, mistrusted = 0, tiles = 0;
  for (const BatteryResult& battery : batteries) {
    cases += battery.cases;
    tiles += battery.tiles;
    failed += battery.failed;
    mistrusted += battery.mistrusted;
    std::vector<std::string> cells{battery.component, reports::count(battery.cases), reports::count(battery.mistrusted),
                                   fmt::format("{}", battery.failed)};
    for (size_t lane = 0; lane < battery.failed_in.size(); ++lane)
      cells.push_back(battery.cases_in[lane] == 0 ? "not run" : fmt::format("{}", battery.failed_in[lane]));
    table.add(std::move(cells));
  }
  fmt::print("kernel {}\n{}", name, table.text("  ", terminal_width()));
  for (const BatteryResult& battery : batteries) {
    if (!battery.first) continue;
    const std::string where = battery.first->found_where;  // the slice that holds the errors
    const bool as_drawn = battery.first->spec.text() == battery.first->found.text();
    const std::string head =
        fmt::format("{} {}{} {} {}", as_drawn ? "drawn" : "reduced", battery.first->found.text(),
                    where.empty() ? "" : " (where " + where + ")", as_drawn ? "as" : "to", battery.first->text);
    fmt::print("{}\n", reports::wrapped(head, terminal_width(), 4, 0));
    print_failure(battery.first->record, kernel, battery.first->spec);
    const std::string values = reports::values_text(battery.first->values);
    if (!values.empty()) fmt::print("     values {}\n", reports::wrapped(values, terminal_width(), 12));
  }
  for (const BatteryResult& battery : batteries) print_required(battery, kernel);
  if (tiles > 0) fmt::print("{} of the cases cross tiles of shipped kernels (parity list tiles)\n", tiles);
  fmt::print("{}  {} of {} cases failed; {} are too small to prove everything\n",
             verdict_word(failed == 0 ? "PASS" : "FAIL"), failed, cases, mistrusted);
}

/// Plants each fault of the catalogue in its component and counts how many fail a drawn case.
int study(const BatteryOptions& options) {
  constexpr int64_t kLeastSeen = 95;  // percent; some faults show only when several components run together
  PARITY_CHECK(options.kernel == "correct", usage, "--faults plants faults in the reference; leave --kernel out");
  cases::BatteryOptions run{options.cases, options.large, false, options.seed, lanes_of(options)};
  const bool every_lane = options.lanes.empty();
  int64_t tried = 0, seen = 0, repeated = 0;
  std::array<int64_t, cases::kLanes.size()> seen_in{}, alone_in{};
  const auto components = components_of(options);
  ProgressBar bar("faults", options.quiet);
  size_t at_fault = 0;
  for (const faults::Fault& fault : faults::catalogue()) {
    bar.update(at_fault++, faults::catalogue().size(), fault.id);
    if (!fault.equivalent.empty() ||
        std::find(components.begin(), components.end(), fault.component) == components.end())
      continue;
    run.wanted = [&](const cases::CaseSpec& spec) { return faults::has_place(fault, spec); };
    const BatteryResult battery = cases::run_battery(fault.component, faults::with_fault(fault), run);
    if (battery.cases == 0) continue;
    ++tried;
    seen += battery.failed > 0 ? 1 : 0;
    const auto& failed = battery.failed_in;
    const auto lanes = std::count_if(failed.begin(), failed.end(), [](int64_t count) { return count > 0; });
    for (size_t lane = 0; lane < failed.size(); ++lane) {
      seen_in[lane] += failed[lane] > 0 ? 1 : 0;
      alone_in[lane] += failed[lane] > 0 && lanes == 1 ? 1 : 0;
    }
    bar.pause();
    if (!battery.first) {
      fmt::print("unseen  {}  {}\n", fault.id, fault.title);
    } else {
      repeated += cases::is_wrong(cases::worst_record(battery.first->spec, faults::with_fault(fault))) ? 1 : 0;
      fmt::print("seen  {}  {} of {} cases fail; first: {}\n", fault.id, battery.failed, battery.cases,
                 battery.first->text);
    }
  }
  bar.pause();
  std::vector<std::string> by_lane;
  for (const cases::Lane lane : run.lanes) {
    const auto at = static_cast<size_t>(lane);
    const std::string alone = run.lanes.size() > 1 ? fmt::format(" ({} alone)", alone_in[at]) : "";
    by_lane.push_back(fmt::format("{} {}{}", to_string(lane), seen_in[at], alone));
  }
  fmt::print(
      "{} of {} faults of single components fail a case ({:.1f}%); by lane: {}; {} of {} reduced cases fail again when "
      "they are repeated\n",
      seen, tried, 100.0 * static_cast<double>(seen) / static_cast<double>(std::max<int64_t>(tried, 1)),
      fmt::join(by_lane, ", "), repeated, seen);
  return repeated == seen && (!every_lane || 100 * seen >= kLeastSeen * tried) ? holds : broken;
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
               "{} computes {}, as its binding says, not {}; leave the component out", options.kernel, component,
               fmt::join(options.components, " "));
  return {component};
}

}  // namespace

int battery(const BatteryOptions& options) {
  PARITY_CHECK(options.only.empty() || options.components.empty(), usage,
               "--case already names the component; remove COMPONENTS");
  if (!options.only.empty()) return one_case(options);
  if (options.faults) return study(options);
  cases::BatteryOptions run{options.cases, options.large, true, options.seed, lanes_of(options)};
  JudgedKernel kernel = judged_kernel(options);
  cases::Differences differences;
  if (!options.beside.empty()) kernel.run = compared_kernel(options, differences);
  run.wanted = kernel.wanted;
  run.brief = options.brief;
  std::vector<BatteryResult> batteries;
  int64_t failed = 0;
  const auto components = components_of(options, kernel);
  for (const std::string& component : components) {
    ProgressBar bar(component, options.quiet);
    run.progress = [&](size_t done, size_t total) { bar.update(done, total); };
    BatteryResult battery = cases::run_battery(component, kernel.run, run);
    failed += battery.failed;
    if (battery.cases > 0) batteries.push_back(std::move(battery));
  }
  if (batteries.empty() && computes_inexact_only(components, kernel, run)) {
    print_inexact(components, kernel, run);
    return nothing_ran;
  }
  PARITY_CHECK(!batteries.empty(), unsupported, "{}", nothing_ran_because(options, run, kernel));
  const ForeignGuards guards = failed == 0 ? foreign_guards(kernel) : ForeignGuards{};
  const int exit_code = failed == 0 && guards.hold() && same_bits(differences) ? holds : broken;
  if (wants_document(options.json)) {
    Json document{{"kernel", options.kernel}, {"components", Json::array()}};
    for (const BatteryResult& battery : batteries) document["components"].push_back(json_of(battery, kernel));
    if (kernel.guards) document["guards"] = guards.json();
    if (!options.beside.empty()) document["beside"] = beside_json(differences);
    write_document(options.json, "battery", exit_code, document);
  }
  if (options.json == "-") return exit_code;
  print(batteries, options.kernel, kernel);
  print_inexact(components, kernel, run);
  print_not_large(batteries, run);
  if (kernel.guards) fmt::print("{}\n", guards.text());
  if (!options.beside.empty()) print_beside(differences, options.kernel, options.beside);
  return exit_code;
}

}  // namespace parity::cli
