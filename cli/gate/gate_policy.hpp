// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// parity.toml: what `parity gate` runs, and what it accepts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"

namespace parity::cli {

struct GateOptions {
  std::string policy = "parity.toml";
  std::string out = "parity-report";  // folder for what the gate writes
  bool list = false;                  // print the commands of the parts, run none
  bool quiet = false;
};
int gate(const GateOptions& options);

struct GatePolicy {
  std::optional<RunOptions> run;
  std::optional<BatteryOptions> battery;
  std::optional<RelationsOptions> relations;
  std::optional<BenchOptions> counters;
  std::vector<std::pair<std::string, double>> budget;  // glob over components, most of the limit that a tap may use
  std::vector<std::string> sources;                    // COMPONENT=FILE
  std::map<std::string, std::string> commands;         // the same parts as command lines
};

/// Parses a policy of at most one MiB; `path` is for messages. Error{schema} with the line for what is not TOML, for a
/// key that is not known, and for a value of another type, Error{usage} if it has no part to run. The goldens are
/// patterns.
[[nodiscard]] GatePolicy parse_policy(std::string_view text, const std::string& path);
/// Reads a policy, with the goldens that its patterns match. Error{not_found} without the file; else as parse_policy.
[[nodiscard]] GatePolicy read_policy(const std::string& path);

}  // namespace parity::cli
