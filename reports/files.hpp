// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where renderings go.
#pragma once

#include <string>
#include <string_view>

namespace parity::reports {

/// `text` under `path`, whole or not at all (a temporary file beside it is renamed); folders are made; "-" is the
/// standard output. A device or a pipe is written to, a link stays one. Error{io}.
void write_text_atomically(const std::string& path, std::string_view text);

/// Before a long run whose result goes there: Error{io} where write_text_atomically could not write. Leaves an existing
/// file as it is, and leaves no new one; a folder may be created.
void check_writable(const std::string& path);

}  // namespace parity::reports
