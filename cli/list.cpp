// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cases/tiles.hpp"
#include "cli/commands.hpp"
#include "compare/coverage_matrix.hpp"
#include "compare/record.hpp"
#include "core/plans/profile.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "golden/golden.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"
#include "replay/golden_plan.hpp"
#include "reports/format.hpp"

namespace parity::cli {
namespace {

void list_components() {
  for (const std::string& name : reference::registry().components()) {
    fmt::print("{:<24} {}\n", name, reference::registry().component(name).formula);
  }
}

/// "residual_add > rms_norm", for people.
std::string chain_of(const std::string& fusion) {
  std::vector<std::string> parts;
  for (const FusedPart& part : optimized::fusions().parts(fusion)) parts.push_back(part.component);
  return fmt::format("{}", fmt::join(parts, " > "));
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
               profile.also.empty() ? "" : fmt::format("; the same: {}", fmt::join(profile.also, " ")));
  }
}

void list_statuses() {
  using compare::Status;
  for (const Status status : {Status::pass, Status::fail, Status::mistrusted, Status::unimplemented,
                              Status::not_recorded, Status::skipped, Status::error}) {
    fmt::print("{:<14} {}\n", to_string(status), compare::is_green(status) ? "green" : "not green");
  }
}

void list_faults() {
  for (const faults::Fault& fault : faults::catalogue()) {
    fmt::print("{:<36} {:<24} {}{}\n", fault.id, fault.component, fault.title, fault.seen.empty() ? "" : "  [shipped]");
  }
}

int show_fault(const faults::Fault& fault) {
  fmt::print("{}  fault of {}\n  {}\n", fault.id, fault.component, fault.title);
  for (const std::string& glob : fault.at) fmt::print("  at       {}\n", glob);
  for (const std::string& url : fault.seen) fmt::print("  seen     {}\n", url);
  if (!fault.equivalent.empty()) fmt::print("  nobody can see it: {}\n", fault.equivalent);
  fmt::print("  plant    parity selftest --every-fixture --faults '{}'\n", fault.id);
  return holds;
}

void list_goldens(const std::string& root) {
  const std::filesystem::path folder = root.empty() ? "golden/data" : root;
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

/// The goldens under `root`, or the embedded ones.
std::vector<std::filesystem::path> goldens_below(const std::string& root) {
  std::vector<std::filesystem::path> folders;
  const std::vector<std::string> roots =
      root.empty() ? std::vector<std::string>{"golden/data", "golden/processors", "golden/cut"}
                   : std::vector<std::string>{root};
  for (const std::string& folder : roots) {
    PARITY_CHECK(std::filesystem::is_directory(folder), not_found, "{}: no such folder; name a folder of goldens",
                 folder);
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

void show_fields(const char* title, const std::vector<FieldInfo>& fields) {
  for (const FieldInfo& field : fields) {
    fmt::print("  {:<8} {:<16} ({}){}\n", title, field.name, field.axes, field.optional ? " optional" : "");
  }
}

std::vector<std::string> fusions() { return optimized::fusions().kernels().components(); }

int show_fusion(const std::string& name) {
  const Registry& kernels = optimized::fusions().kernels();
  const Definition& definition = kernels.component(name);
  fmt::print("{}  fusion of {}\n  {}\n", name, chain_of(name), definition.formula);
  show_fields("input", definition.inputs);
  show_fields("output", definition.outputs);
  for (const KernelEntry& kernel : kernels.kernels()) {
    if (kernel.component == name) fmt::print("  kernel   {}:{}\n", kernel.backend, kernel.variant);
  }
  fmt::print(
      "  judged   by parity run GOLDEN --candidate cpu:fused: it takes the place of every chain of a plan that it "
      "fits,\n"
      "           its outputs are held to the chain's spans; parity battery tries its parts alone\n"
      "  files    core/fusions/{0}.hpp\n",
      name);
  return holds;
}

int show_component(const std::string& name) {
  auto known = reference::registry().components();
  const bool found = std::find(known.begin(), known.end(), name) != known.end();
  const auto fused = fusions();
  known.insert(known.end(), fused.begin(), fused.end());
  PARITY_CHECK(found, usage,
               "'{}' is no component, fusion, fault or file{}; see parity list, parity list kernels and parity list "
               "faults; a tap is named GOLDEN#TAP",
               name, did_you_mean(name, known));
  const Definition& definition = reference::registry().component(name);
  fmt::print("{}\n  {}\n  source   {}\n", definition.name, definition.formula, definition.source);
  show_fields("input", definition.inputs);
  show_fields("output", definition.outputs);
  for (const auto& [param, value] : definition.defaults) {
    fmt::print("  param    {:<16} default {}\n", param, std::visit([](auto v) { return fmt::format("{}", v); }, value));
  }
  for (const auto& [point, precision] : definition.points)
    fmt::print("  rounds   {:<16} {}\n", point, to_string(precision));
  fmt::print("  files    core/components/{0}.hpp  reference/{0}.cpp\n", name);
  return holds;
}

std::string operand_text(const Operand& operand) {
  return operand.name + (operand.axes.empty() ? "" : " as " + operand.axes);
}

int show_tap(const std::string& tap, const std::string& path) {
  const auto golden = golden::Golden::open(path);
  const Plan plan = replay::plan_of(golden);
  const std::string name = replay::tap_of(plan, tap, path);
  const TapInfo& info = plan.tap(name);
  fmt::print("{}{}\n  axes {}  shape {}  {}\n  {}\n", name, name == tap ? "" : " (" + tap + " repeats it)", info.axes,
             to_string(info.shape), to_string(plan.dtype_of(info.type)),
             golden.activations().contains(tap) ? "recorded" : "not recorded");
  if (info.producer < 0) return holds;
  const Node& node = plan.nodes[static_cast<size_t>(info.producer)];
  fmt::print("  made by {} ({})\n", node.component, node.prefix);
  for (const auto& [field, operands] : node.inputs) {
    for (const Operand& operand : operands) fmt::print("    {:<12} {}\n", field, operand_text(operand));
  }
  for (const auto& [param, value] : node.params) {
    fmt::print("    {:<12} {}\n", param, std::visit([](auto v) { return fmt::format("{}", v); }, value));
  }
  return holds;
}

}  // namespace

int list(const ListOptions& options) {
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
  throw Error(ErrorCode::usage, fmt::format("cannot list '{}'{}; known: {}", options.what,
                                            did_you_mean(options.what, known), fmt::join(known, " ")));
}

int show(const ShowOptions& options) {
  if (!options.golden.empty()) return show_tap(options.what, options.golden);
  const size_t hash = options.what.rfind('#');  // a folder may have one, a tap has none
  const bool exists = std::filesystem::exists(options.what);
  if (!exists && hash != std::string::npos && hash > 0 && hash + 1 < options.what.size())
    return show_tap(options.what.substr(hash + 1), options.what.substr(0, hash));
  if (exists) return golden_info({{options.what}, "*", ""});
  for (const faults::Fault& fault : faults::catalogue()) {
    if (fault.id == options.what) return show_fault(fault);
  }
  const auto fused = fusions();
  if (std::find(fused.begin(), fused.end(), options.what) != fused.end()) return show_fusion(options.what);
  return show_component(options.what);
}

}  // namespace parity::cli
