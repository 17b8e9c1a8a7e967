// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/battery/foreign_guards.hpp"

#include <algorithm>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/studies/guards_json.hpp"
#include "cli/terminal/terminal.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {

bool ForeignGuards::hold() const {
  return error.empty() &&
         std::all_of(kernels.begin(), kernels.end(), [](const cases::KernelGuards& kernel) { return kernel.holds(); });
}

std::string ForeignGuards::text() const {
  if (!error.empty()) return fmt::format("{}  guards: {}", verdict_word("FAIL"), error);
  if (kernels.empty()) return "guards not run, because cases failed";
  std::vector<std::string> lines;
  for (const cases::KernelGuards& kernel : kernels) {
    const std::string what = fmt::format("guards of {} ({} calls)", kernel.variant, kernel.calls);
    if (kernel.calls == 0) {
      lines.push_back(fmt::format("guards of {} not run: no random call fulfils the key 'requires' of the binding",
                                  kernel.variant));
      continue;
    }
    lines.push_back(kernel.holds()
                        ? fmt::format("{}  {}", verdict_word("PASS"), what)
                        : fmt::format("{}  {}: {}", verdict_word("FAIL"), what, reports::plain(kernel.detail)));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

nlohmann::ordered_json ForeignGuards::json() const {
  nlohmann::ordered_json json = guards_json(kernels);
  if (!error.empty()) json["error"] = error;
  return json;
}

ForeignGuards foreign_guards(const JudgedKernel& kernel) {
  if (!kernel.guards) return {};
  try {
    return {kernel.guards(), ""};
  } catch (const Error& error) {  // the kernel's, found in a call that the cases did not have
    return {{}, error.what()};
  }
}

}  // namespace parity::cli
