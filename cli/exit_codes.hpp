// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The exit codes of the program.
#pragma once

namespace parity::cli {

enum ExitCode : int {
  holds = 0,
  broken = 1,  // failed, mistrusted or unimplemented, or `diff` found a difference
  usage = 2,
  golden_damaged = 3,  // a golden is missing or damaged
  device_absent = 4,   // a required device or library is missing
  nothing_ran = 5,
  internal_error = 70,
};

}  // namespace parity::cli
