// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A program that runs beside this one: with a time limit, and gone when this program is interrupted.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace parity::golden {

struct Child {
  std::vector<std::string> words;  // the program, found by PATH, and its arguments
  double timeout_s = 600.0;
  std::string output{};  // file for what it prints; empty: stderr
};

/// Runs it to its end. Returns the status of waitpid; a program that cannot be started exits with 127. Nothing if it
/// exceeded its time; then it was killed, with all that it started. Throws Error{io} if no process can be made.
[[nodiscard]] std::optional<int> run_child(const Child& child);

}  // namespace parity::golden
