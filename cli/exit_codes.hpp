// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the program's exit status means.
#pragma once

namespace parity::cli {

enum ExitCode : int {
  holds = 0,
  broken = 1,  // failed, mistrusted, unimplemented, or a difference found by diff
  usage = 2,
  golden_damaged = 3,  // missing or damaged
  device_absent = 4,   // required device or library
  nothing_ran = 5,
  internal_error = 70,
};

}  // namespace parity::cli
