// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// An engine as a command: `COMMAND IN.h5 OUT.h5` continues from the taps that IN.h5 holds and writes those that it wants.
#pragma once

#include <filesystem>
#include <string>

namespace parity::faults {

/// The exit code with which an engine says that it cannot start (or stop) there.
constexpr int kRefused = 3;

struct Engine {
  std::string command;       // for the shell; the two file names are appended
  double timeout_s = 600.0;  // per run; it is killed then, with its children
};

/// False when it refuses. Its standard output goes to standard error. Error{schema} when it fails, is killed, or leaves no OUT.
[[nodiscard]] bool run_engine(const Engine& engine, const std::filesystem::path& in, const std::filesystem::path& out);

}  // namespace parity::faults
