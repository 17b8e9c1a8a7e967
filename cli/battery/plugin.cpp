// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/plugin.hpp"

#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cases/battery.hpp"
#include "cases/plugin/worker_image.hpp"
#include "cli/battery/foreign_guards.hpp"
#include "cli/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/shell.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

/// A bare file is a library.
std::string whole_word(const std::string& given) {
  if (cases::is_plugin(given)) return given;
  const bool library = std::filesystem::path(given).extension() == ".so";
  PARITY_CHECK(library, usage,
               "'{}' is not a plugin; use FILE.so, {}; for a .cu or .ptx file, use parity battery --kernel", given,
               fmt::join(cases::plugin_forms(), ", "));
  return "lib:" + given;
}

std::string types_of(const cases::DescribedKernel& kernel) {
  std::vector<std::string> names;
  for (const DType type : kernel.types) names.emplace_back(to_string(type));
  return fmt::format("{}", fmt::join(names, " "));
}

/// A few cases of each kind, the first failure as it was drawn.
bool check_cases(const std::string& word, const cases::DescribedKernel& kernel, const PluginOptions& options) {
  ProgressBar bar(kernel.component, options.quiet);
  cases::BatteryOptions run;
  run.cases = options.cases;
  run.brief = true;
  run.types = kernel.types;
  run.progress = [&](size_t done, size_t total) { bar.update(done, total); };
  const auto battery = cases::run_battery(kernel.component, cases::with_backend(word), run);
  bar.pause();
  const bool holds = battery.failed == 0 && battery.cases > 0;
  const std::string refused = battery.skipped == 0 ? "" : fmt::format(", {} refused", battery.skipped);
  fmt::print("{}  {}: {} cases, {} failed{}\n", verdict_word(holds ? "PASS" : "FAIL"), kernel.component, battery.cases,
             battery.failed, refused);
  if (!battery.first) return holds;
  const compare::Record& record = battery.first->record;
  const std::string why = record.status == compare::Status::error ? record.reason : record.where;
  fmt::print(
      "      {}: {}\n      details: {}\n", battery.first->spec.text(), reports::plain(why),
      shell_line({"parity", "battery", kernel.component, "--kernel", word, "--case", battery.first->spec.text()}));
  return holds;
}

}  // namespace

int check_plugin(const PluginOptions& options) {
  const std::string word = whole_word(options.word);
  const cases::Plugin& plugin = cases::Plugin::named(word);
  const cases::Described& described = plugin.description();
  fmt::print("{}  {}: {} kernel{}{}\n", verdict_word("PASS"), word, described.kernels.size(),
             described.kernels.size() == 1 ? "" : "s",
             described.name.empty() ? "" : " of " + reports::plain(described.name));
  bool sound = true;
  for (const cases::DescribedKernel& kernel : described.kernels) {
    fmt::print("      {}  {}\n", kernel.component, types_of(kernel));
    sound = check_cases(word, kernel, options) && sound;
  }
  if (!sound) return broken;
  BatteryOptions battery;
  battery.kernel = word;
  const ForeignGuards guards = foreign_guards(judged_kernel(battery));
  fmt::print("{}\n", guards.text());
  return guards.hold() ? holds : broken;
}

int print_plugin_header() {
  const std::string_view header = cases::plugin_header();
  fmt::print("{}", header);
  return holds;
}

}  // namespace parity::cli
