// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/benches/fusion_text.hpp"
#include "cli/commands.hpp"
#include "cli/reports/document.hpp"
#include "cli/runs/tap_json.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "golden/golden.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"

namespace parity::cli {

std::string chain_of(const std::string& fusion) {
  std::vector<std::string> parts;
  for (const FusedPart& part : optimized::fusions().parts(fusion)) parts.push_back(part.component);
  return fmt::format("{}", fmt::join(parts, " > "));
}

namespace {

int show_fault(const faults::Fault& fault) {
  fmt::print("{}  fault of {}\n  {}\n", fault.id, fault.component, fault.title);
  for (const std::string& glob : fault.at) fmt::print("  at       {}\n", glob);
  for (const std::string& url : fault.seen) fmt::print("  seen     {}\n", url);
  if (!fault.equivalent.empty()) fmt::print("  has no effect: {}\n", fault.equivalent);
  fmt::print("  plant    parity selftest --every-fixture --faults '{}'\n", fault.id);
  return holds;
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
      "  judged   by parity run GOLDEN --candidate cpu:fused, where it replaces every chain of these nodes;\n"
      "           its outputs get the tolerance of the whole chain; parity battery judges it on random cases\n"
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
               "'{}' is not a component, fusion, fault or file{}; see parity list, parity list kernels and parity list "
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
  fmt::print("  files    core/components/*/{0}.hpp  reference/*/{0}.cpp\n", name);
  return holds;
}

std::string operand_text(const Operand& operand) {
  return operand.name + (operand.axes.empty() ? "" : " as " + operand.axes);
}

int show_tap(const std::string& tap, const std::string& path, const std::string& json) {
  const auto golden = golden::Golden::open(path);
  const Plan plan = replay::plan_of(golden);
  const std::string name = replay::tap_of(plan, tap, path);
  const TapInfo& info = plan.tap(name);
  if (!json.empty()) return write_document(json, "tap", holds, tap_json(plan, name)), holds;
  fmt::print("{}{}\n  axes {}  shape {}  {}\n  {}\n", name, name == tap ? "" : " (" + tap + " repeats it)", info.axes,
             to_string(info.shape), to_string(plan.dtype_of(info.type)),
             golden.activations().contains(tap) ? "recorded" : "not recorded");
  if (info.producer < 0) return holds;
  const Node& node = plan.nodes[static_cast<size_t>(info.producer)];
  fmt::print("  computed by {} ({})\n", node.component, node.prefix);
  for (const auto& [field, operands] : node.inputs) {
    for (const Operand& operand : operands) fmt::print("    {:<12} {}\n", field, operand_text(operand));
  }
  for (const auto& [param, value] : node.params) {
    fmt::print("    {:<12} {}\n", param, std::visit([](auto v) { return fmt::format("{}", v); }, value));
  }
  return holds;
}

}  // namespace

int show(const ShowOptions& options) {
  if (!options.golden.empty()) return show_tap(options.what, options.golden, options.json);
  const size_t hash = options.what.rfind('#');  // the path of a golden may contain '#', a tap does not
  const bool exists = std::filesystem::exists(options.what);
  if (!exists && hash != std::string::npos && hash > 0 && hash + 1 < options.what.size())
    return show_tap(options.what.substr(hash + 1), options.what.substr(0, hash), options.json);
  PARITY_CHECK(options.json.empty(), usage,
               "--json works only for a tap, GOLDEN#TAP; for components use parity list components --json");
  if (exists) return golden_info({{options.what}, "*", ""});
  for (const faults::Fault& fault : faults::catalogue()) {
    if (fault.id == options.what) return show_fault(fault);
  }
  const auto fused = fusions();
  if (std::find(fused.begin(), fused.end(), options.what) != fused.end()) return show_fusion(options.what);
  return show_component(options.what);
}

}  // namespace parity::cli
