// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

namespace parity::golden {

/// Waits until the file's content, or the folder's names, are on the disk: before a name is given to it that something else
/// had, or a machine that loses its power keeps neither. Error{io}.
void flush_to_disk(const std::filesystem::path& path);

}  // namespace parity::golden
