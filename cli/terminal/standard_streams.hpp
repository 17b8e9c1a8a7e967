// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Handles standard streams that are closed, full or unread. Lost progress does not fail the command; a lost result is
// no success.
#pragma once

namespace parity::cli {

/// Prepares the standard streams; call it first in main. Closed streams are opened on /dev/null, so that no result file
/// gets their numbers. Failed writes to stderr are ignored; failed writes to stdout are kept for flushed(). SIGPIPE
/// and SIGXFSZ are ignored, so that the write fails instead.
void guard_standard_streams();

/// Whether stdout and stderr go to the same terminal or file, so that a message need not be repeated.
[[nodiscard]] bool streams_are_one();

/// Flushes stdout at the end of main. Returns `code`, or a failure with a message if a result was lost. A reader
/// that closed the pipe (`| head -1`) is no failure.
[[nodiscard]] int flushed(int code);

}  // namespace parity::cli
