// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// An engine as a command: `COMMAND IN.h5 OUT.h5` continues from the taps that IN.h5 holds and writes those that it wants.
#pragma once

#include <filesystem>
#include <string>

namespace parity::faults {

/// The exit code with which an engine says that it cannot start (or stop) there, and nothing else: what goes wrong in it
/// is any other code.
constexpr int kRefused = 3;

struct Engine {
  std::string command;       // for the shell; the two file names are appended
  double timeout_s = 600.0;  // per run; it is killed then, with its children
};

/// False when it refuses. Its standard output goes to standard error. Error{unsupported} when it fails, is killed, or
/// leaves no OUT. Whatever it leaves running is killed.
[[nodiscard]] bool run_engine(const Engine& engine, const std::filesystem::path& in, const std::filesystem::path& out);

}  // namespace parity::faults
