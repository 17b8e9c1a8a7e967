// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The program's own streams when they are closed, full or read by nobody: a lost line of progress costs no result, and a
// lost result is no success.
#pragma once

namespace parity::cli {

/// First thing of all. Closed streams are opened on nothing, so that no file that is written gets their numbers; what cannot
/// be written to stderr is dropped, what cannot be written to stdout is remembered; SIGPIPE and SIGXFSZ become errors
/// of the write.
void guard_standard_streams();

/// Whether stdout and stderr go to the same place, a terminal or one file: what one of them says need not be repeated.
[[nodiscard]] bool streams_are_one();

/// Last thing of all: `code`, or another one when a result on stdout was lost, which is said. A reader that went away
/// (`| head -1`) has seen what it wanted.
[[nodiscard]] int flushed(int code);

}  // namespace parity::cli
