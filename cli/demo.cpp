// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity demo`: shows on what comes with the program that right kernels pass and that a planted bug is found and named.
#include <functional>

#include <fmt/core.h>

#include "cases/backends.hpp"
#include "cli/commands.hpp"
#include "cli/terminal/terminal.hpp"

namespace parity::cli {
namespace {

constexpr const char* kGolden = "golden/data/m3-text-bf16";

struct DemoPart {
  const char* says;     // what it shows
  std::string command;  // as the user types it
  std::function<int()> run;
  int expected = holds;
};

RunOptions run_of(const std::string& candidate) {
  RunOptions options;
  options.goldens = {kGolden};
  options.candidate = candidate;
  options.command_line = fmt::format("parity run {} --candidate {}", kGolden, candidate);
  options.quiet = true;
  return options;
}

std::vector<DemoPart> parts() {
  // Where no CPU kernels are built, the reference stands in for them.
  const std::string kernel = cases::is_backend("cpu") ? "cpu" : "reference";
  const RunOptions right = run_of(kernel), broken_run = run_of("fault:linear-every-16th-column");
  BatteryOptions drawn;
  drawn.components = {"rms_norm"};
  drawn.kernel = kernel;
  drawn.cases = 20;
  drawn.quiet = true;
  return {
      {"kernels compute a recorded model as the original package does", right.command_line,
       [right] { return run(right); }},
      {"a small bug is found, and named", broken_run.command_line, [broken_run] { return run(broken_run); }, broken},
      {"a kernel alone is right at boundary shapes, on NaN and bit by bit",
       fmt::format("parity battery rms_norm --kernel {} --cases 20", kernel), [drawn] { return battery(drawn); }}};
}

}  // namespace

int demo() {
  int failed = 0, number = 0;
  const std::vector<DemoPart> all = parts();
  for (const DemoPart& part : all) {
    fmt::print("{}. {}\n$ {}\n", ++number, part.says, part.command);
    const int code = part.run();
    if (code != part.expected) fmt::print("{}  exit code {}, expected {}\n", verdict_word("FAIL"), code, part.expected);
    failed += code == part.expected ? 0 : 1;
    fmt::print("\n");
  }
  fmt::print("{}  demo: {} of {} commands ended with the expected exit code\n",
             verdict_word(failed == 0 ? "PASS" : "FAIL"), all.size() - static_cast<size_t>(failed), all.size());
  return failed == 0 ? holds : broken;
}

}  // namespace parity::cli
