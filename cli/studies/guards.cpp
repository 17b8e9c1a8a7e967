// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity selftest --guards`: runs every kernel of the registries under every guard, on random calls.
#include "cases/guards.hpp"

#include <algorithm>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/reports/document.hpp"
#include "cli/studies/guards_json.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/crash_message.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/text.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using cases::KernelGuards;

std::string cell(const KernelGuards& kernel, size_t guard) {
  if (kernel.broken[guard] > 0) return fmt::format("{} BROKEN", kernel.broken[guard]);
  if (kernel.unjudged[guard] > 0) return "unjudged";
  const char* const idle = cases::kGuards[guard] == cases::Guard::replay ? "none" : "not applicable";
  return kernel.calls > 0 && kernel.idle[guard] == kernel.calls ? idle : "holds";
}

void print(const std::vector<KernelGuards>& kernels, int64_t broken) {
  std::vector<std::string> titles{"component", "backend", "variant", "calls"};
  for (const cases::Guard guard : cases::kGuards) titles.emplace_back(to_string(guard));
  reports::Table table(titles, 3);
  int64_t calls = 0;
  for (const KernelGuards& kernel : kernels) {
    std::vector<std::string> cells{kernel.component, kernel.backend, kernel.variant, fmt::format("{}", kernel.calls)};
    for (size_t g = 0; g < cases::kGuards.size(); ++g) cells.push_back(cell(kernel, g));
    table.add(std::move(cells));
    calls += kernel.calls;
  }
  fmt::print("{}", table.text("  ", terminal_width()));
  for (const KernelGuards& kernel : kernels) {
    if (!kernel.holds())
      fmt::print("FAIL {} {}:{}  {}\n", kernel.component, kernel.backend, kernel.variant,
                 reports::plain(kernel.detail));
  }
  fmt::print("{}  {} kernels tested with {} guards in {} random calls; {} kernels fail a guard\n",
             verdict_word(broken == 0 ? "PASS" : "FAIL"), kernels.size(), cases::kGuards.size(), calls, broken);
}

}  // namespace

Json guards_json(const std::vector<KernelGuards>& kernels) {
  Json document{{"kernels", Json::array()}};
  for (const KernelGuards& kernel : kernels) {
    Json json{{"component", kernel.component}, {"backend", kernel.backend}, {"variant", kernel.variant},
              {"calls", kernel.calls},         {"guards", Json::object()},  {"detail", kernel.detail}};
    for (size_t g = 0; g < cases::kGuards.size(); ++g)
      json["guards"][key_of(cases::kGuards[g])] = {
          {"broken", kernel.broken[g]}, {"unjudged", kernel.unjudged[g]}, {"idle", kernel.idle[g]}};
    document["kernels"].push_back(std::move(json));
  }
  return document;
}

int selftest_guards(const SelftestOptions& options) {
  cases::GuardOptions guarded;
  guarded.components = options.components;
  guarded.backends = options.backends;
  guarded.tiles = true;
  ProgressBar bar("guards", options.quiet);
  guarded.running = [&](const std::string& call) {
    leave_last_words(call);
    bar.note(call);
  };
  auto kernels = cases::run_guards(reference::registry(), guarded);
  for (const Registry* registry : {&optimized::registry(), &optimized::fusions().kernels()}) {
    for (KernelGuards& kernel : cases::run_native_guards(*registry, guarded)) kernels.push_back(std::move(kernel));
  }
  leave_last_words("");
  bar.pause();
  PARITY_CHECK(!kernels.empty() || options.backends.empty(), usage,
               "--backends {} matches no kernel of these components; see parity list kernels",
               fmt::join(options.backends, " "));
  for (const std::string& glob : options.components) {
    const bool any = std::any_of(kernels.begin(), kernels.end(),
                                 [&](const KernelGuards& kernel) { return glob_match(glob, kernel.component); });
    PARITY_CHECK(any, usage, "--components '{}' matches no kernel{}; see parity list kernels", glob,
                 did_you_mean(glob, reference::registry().components()));
  }
  const int64_t failing = std::count_if(kernels.begin(), kernels.end(), [](const auto& k) { return !k.holds(); });
  write_document(options.json, "guards", failing == 0 ? holds : broken, guards_json(kernels));
  if (options.json != "-") print(kernels, failing);
  return failing == 0 ? holds : broken;
}

}  // namespace parity::cli
