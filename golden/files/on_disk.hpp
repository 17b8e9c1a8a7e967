// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

namespace parity::golden {

/// Waits until a file's content, or the names in a folder, are on the disk. Called before a rename that replaces a
/// file: after a power failure, either the old or the new file is complete. Throws Error{io}.
void flush_to_disk(const std::filesystem::path& path);

}  // namespace parity::golden
