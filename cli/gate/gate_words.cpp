// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/gate/gate_policy.hpp"
#include "cli/words/command_words.hpp"

namespace parity::cli {

void add_gate(CLI::App& app, GateOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand(
      "gate", "Run all checks that a policy file lists: goldens, random cases, relations, counters (docs/ci.md)");
  c->add_option("--policy", o.policy, "Policy file (TOML): candidate, goldens, budgets and baselines")
      ->capture_default_str();
  c->add_option("--out-folder", o.out, "Folder for the HTML page, the summary, JUnit, SARIF and JSON")
      ->capture_default_str();
  c->add_flag("--list", o.list, "Print the commands of the policy, and run none");
  c->add_flag("--quiet", o.quiet, "No progress");
  c->footer("Example:\n  parity gate --policy parity.toml --out-folder parity-report");
  c->callback([&] { action = [&] { return gate(o); }; });
}

}  // namespace parity::cli
