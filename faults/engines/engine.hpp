// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// An engine run as a command: `COMMAND IN.h5 OUT.h5` continues from the taps in IN.h5 and writes the wanted ones.
#pragma once

#include <filesystem>
#include <string>

namespace parity::faults {

/// Exit code with which an engine says that it cannot start (or stop) at this cut. Any other code except 0 is a failure
/// of the engine.
constexpr int kRefused = 3;

struct Engine {
  std::string command;       // shell command, to which the two file names are appended
  double timeout_s = 600.0;  // per run; then it and its children are killed
};

/// Runs the engine. Returns false if it refuses the cut. Its standard output goes to standard error. Throws
/// Error{unsupported} if it fails, is killed or leaves no OUT. Kills any processes that it leaves.
[[nodiscard]] bool run_engine(const Engine& engine, const std::filesystem::path& in, const std::filesystem::path& out);

}  // namespace parity::faults
