// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a process with a kernel that is not ours must not do to the process that judges it.
#pragma once

#include <cstdint>

namespace parity::worker {

enum class Processes : uint8_t { none, allowed };

/// Gives up rights for this process and all that it starts: capabilities, dumps, memory beyond the machine's, reading
/// or stopping other processes, leaving the group. With Processes::none also starting other programs: the attempt
/// ends this process by SIGSYS. Returns an empty text, or what the kernel of this machine refuses.
[[nodiscard]] const char* confine(Processes processes);

}  // namespace parity::worker
