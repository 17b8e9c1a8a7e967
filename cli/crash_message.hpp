// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What was going on when a signal ends the program: a kernel that writes where it must not may take the process with it.
#pragma once

#include <string>

namespace parity::cli {

/// From here on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT say "parity: died in <words>" on stderr before they end the
/// process as they would have; empty: nothing is said.
void leave_last_words(const std::string& words);

}  // namespace parity::cli
