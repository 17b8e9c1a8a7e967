// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// parity.toml: what `parity gate` runs, and what it accepts.
#pragma once

#include <map>
#include <optional>
#include <string>
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

/// Reads a policy. Error{not_found} without the file, Error{schema} with the line for what is not TOML, for a key that
/// is not known, and for a value of another type, Error{usage} if it has no part to run.
[[nodiscard]] GatePolicy read_policy(const std::string& path);

}  // namespace parity::cli
