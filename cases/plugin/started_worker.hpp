// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How a worker's process comes to be: a program that is started, or a fork that a running program makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace parity::cases {

struct StartedWorker {
  pid_t process = -1;  // leader of its group
  int socket = -1;     // this side's end
  int output = -1;     // of what it prints; reads do not block
};

/// Starts the built-in worker with these words in a group of its own, without this program's environment and files.
[[nodiscard]] StartedWorker start_worker(const std::vector<std::string>& words);
/// Asks the program at the other end of `forks` for a fork.
[[nodiscard]] StartedWorker fork_worker(int forks);
/// The status of waitpid. Nothing if the process still runs, which happens only without `wait`.
[[nodiscard]] std::optional<int> reap(pid_t process, int forks, bool wait);

}  // namespace parity::cases
