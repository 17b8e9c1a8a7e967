// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What /proc says about a worker: its threads, and the processes of its group.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace parity::cases {

/// State letters of all threads of a process ("S", "R", "T"); empty if it is gone.
[[nodiscard]] std::vector<char> thread_states(pid_t process);
/// How many living processes are in this group.
[[nodiscard]] int64_t processes_of_group(pid_t group);

}  // namespace parity::cases
