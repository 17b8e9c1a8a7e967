// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Prints what the program was doing when a signal ends it, for example when a kernel writes outside its memory.
#pragma once

#include <string>

namespace parity::cli {

/// Makes SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT print "parity: died in <words>" on stderr before they end the
/// process as usual. Empty `words` make these signals print nothing.
void leave_last_words(const std::string& words);

}  // namespace parity::cli
