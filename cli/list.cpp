// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cases/tiles.hpp"
#include "cli/battery/signature_json.hpp"
#include "cli/benches/fusion_text.hpp"
#include "cli/commands.hpp"
#include "cli/reports/document.hpp"
#include "compare/judging/record.hpp"
#include "compare/studies/coverage_matrix.hpp"
#include "core/plans/profile.hpp"
#include "core/shipped.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "golden/golden.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

void list_components() {
  for (const std::string& name : reference::registry().components()) {
    fmt::print("{:<24} {}\n", name, reference::registry().component(name).formula);
  }
}

/// Of components and fused kernels.
void write_signatures(const std::string& path) {
  nlohmann::ordered_json body{{"components", nlohmann::ordered_json::array()}};
  for (const Registry* registry : {&reference::registry(), &optimized::fusions().kernels()}) {
    for (const std::string& name : registry->components())
      body["components"].push_back(signature_json(registry->component(name)));
  }
  write_document(path, "components", holds, body);
}

void list_kernels() {
  for (const KernelEntry& kernel : reference::registry().kernels()) {
    fmt::print("{:<24} {}:{}\n", kernel.component, kernel.backend, kernel.variant);
  }
  for (const KernelEntry& kernel : optimized::registry_with_libraries().kernels()) {
    fmt::print("{:<24} {}:{}\n", kernel.component, kernel.backend, kernel.variant);
  }
  for (const KernelEntry& kernel : optimized::fusions().kernels().kernels()) {
    fmt::print("{:<24} {}:fused:{}  {}\n", kernel.component, kernel.backend, kernel.variant,
               chain_of(kernel.component));
  }
}

void list_profiles() {
  for (const Profile& profile : profiles()) {
    fmt::print("{:<16} {:<12} {}{}\n", profile.system, profile.name, profile.source,
               profile.also.empty() ? "" : fmt::format("; the same rules: {}", fmt::join(profile.also, " ")));
  }
}

void list_statuses() {
  using compare::Status;
  for (const Status status : {Status::pass, Status::fail, Status::mistrusted, Status::unimplemented,
                              Status::not_recorded, Status::skipped, Status::error}) {
    fmt::print("{:<14} {}\n", to_string(status),
               compare::is_green(status) ? "counts as passed" : "does not count as passed");
  }
}

void list_faults() {
  for (const auto* list : {&faults::catalogue(), &faults::rank_catalogue()}) {
    for (const faults::Fault& fault : *list)
      fmt::print("{:<36} {:<24} {}{}\n", fault.id, fault.component, fault.title,
                 fault.seen.empty() ? "" : "  [shipped]");
  }
}

void list_goldens(const std::string& root) {
  const std::filesystem::path folder = shipped(root.empty() ? "golden/data" : root);
  PARITY_CHECK(std::filesystem::is_directory(folder), not_found, "{}: no such folder; name a folder of goldens",
               folder.string());
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!std::filesystem::exists(entry.path() / "activations.h5")) continue;
    const auto golden = golden::Golden::open(entry.path());
    fmt::print("{:<28} {:<22} {:<14} {} {}\n", reports::plain(golden.name()), reports::plain(golden.facts().oracle),
               reports::plain(golden.facts().profile), to_string(golden.facts().dtype),
               reports::plain(golden.facts().attention));
  }
}

/// Returns the goldens under `root`, or the embedded ones if `root` is empty.
std::vector<std::filesystem::path> goldens_below(const std::string& root) {
  std::vector<std::filesystem::path> folders;
  const std::vector<std::string> roots =
      root.empty() ? std::vector<std::string>{"golden/data", "golden/processors", "golden/cut"}
                   : std::vector<std::string>{root};
  for (const std::string& name : roots) {
    const std::filesystem::path folder = shipped(name);
    PARITY_CHECK(std::filesystem::is_directory(folder), not_found, "{}: no such folder; name a folder of goldens",
                 name);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (std::filesystem::exists(entry.path() / "activations.h5")) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

void list_coverage(const std::string& root) {
  const auto folders = goldens_below(root);
  fmt::print("{}", reports::plain(compare::coverage_summary(folders) + compare::coverage_matrix(folders), true));
}

}  // namespace

int list(const ListOptions& options) {
  PARITY_CHECK(options.json.empty() || options.what == "components", usage,
               "--json works only with `parity list components`; remove --json");
  if (!options.json.empty()) return write_signatures(options.json), holds;
  if (options.what == "components") return list_components(), holds;
  if (options.what == "kernels") return list_kernels(), holds;
  if (options.what == "profiles") return list_profiles(), holds;
  if (options.what == "statuses") return list_statuses(), holds;
  if (options.what == "goldens") return list_goldens(options.root), holds;
  if (options.what == "faults") return list_faults(), holds;
  if (options.what == "coverage") return list_coverage(options.root), holds;
  if (options.what == "tiles") return fmt::print("{}", cases::tile_table(goldens_below(options.root))), holds;
  const std::vector<std::string> known{"components", "kernels",  "profiles", "statuses",
                                       "goldens",    "coverage", "faults",   "tiles"};
  throw Error(ErrorCode::usage, fmt::format("parity list cannot list '{}'{}; use {}", options.what,
                                            did_you_mean(options.what, known), fmt::join(known, " ")));
}

}  // namespace parity::cli
