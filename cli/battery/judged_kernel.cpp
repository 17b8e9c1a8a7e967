// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/battery/judged_kernel.hpp"

#include <algorithm>

#include "cases/plugin/plugin.hpp"
#include "cli/runs/choices.hpp"
#include "core/shell.hpp"
#include "faults/catalogue.hpp"
#include "faults/planted_case.hpp"

namespace parity::cli {
namespace {

constexpr std::string_view kFault = "fault:";

cases::CaseKernel kernel_of(const std::string& name) {
  if (name == "correct") return cases::another_order();
  if (name == "reference") return cases::oracle();
  if (name.starts_with(kFault)) return faults::with_fault(faults::find_fault(name.substr(kFault.size())));
  if (cases::has_kernels(name)) return cases::with_backend(name);
  battery_kernels().refuse("--kernel", name);
}

std::function<bool(const cases::CaseSpec&)> wanted_of(const std::string& kernel) {
  if (kernel.starts_with(kFault)) {
    const faults::Fault& fault = faults::find_fault(kernel.substr(kFault.size()));
    return [&fault](const cases::CaseSpec& spec) { return faults::has_place(fault, spec); };
  }
  if (kernel == "correct") {
    auto of = cases::reordered_components();
    for (const std::string& fusion : cases::drawn_fusions()) of.push_back(fusion);
    return [of](const cases::CaseSpec& spec) { return std::find(of.begin(), of.end(), spec.component) != of.end(); };
  }
  if (!cases::has_kernels(kernel)) return {};
  return [kernel](const cases::CaseSpec& spec) {
    return cases::native_kernel(kernel, spec.component, spec.working).entry != nullptr;
  };
}

}  // namespace

std::string JudgedKernel::repro(const cases::CaseSpec& spec) const {
  return fmt::format("parity battery {} --case {}", words, spec.text());
}

JudgedKernel judged_kernel(const BatteryOptions& options) {
  std::vector<std::string> words{"--kernel", options.kernel};
  if (!cases::is_foreign(options.kernel)) {
    PARITY_CHECK(options.binding.empty() && !options.unchecked, usage,
                 "--binding and --unchecked require --kernel cu:FILE or --kernel ptx:FILE");
    JudgedKernel judged{shell_line(words), kernel_of(options.kernel), wanted_of(options.kernel)};
    if (cases::is_plugin(options.kernel))
      judged.guards = [word = options.kernel] {
        return cases::run_native_guards(cases::Plugin::named(word).kernels(), {});
      };
    return judged;
  }
  if (!options.binding.empty()) words.insert(words.end(), {"--binding", options.binding});
  if (options.unchecked) words.emplace_back("--unchecked");
  const cases::ForeignKernel foreign(options.kernel, options.binding, !options.unchecked);
  return {shell_line(words), foreign.kernel(),
          [foreign](const cases::CaseSpec& spec) { return foreign.computes(spec); }, foreign,
          [foreign] { return foreign.guards(); }};
}

}  // namespace parity::cli
