// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Files that are installed with the program. They are found relative to it, so an installed tree can be moved.
#pragma once

#include <filesystem>

namespace parity {

/// Folder of the running program: PREFIX/bin, or build/<preset>/<room>.
[[nodiscard]] std::filesystem::path program_folder();

/// The path below PREFIX/share/parity, if `path` is relative, absent from the current folder and present there (such as
/// golden/data/m3-text-bf16). Otherwise `path` itself.
[[nodiscard]] std::filesystem::path shipped(const std::filesystem::path& path);

}  // namespace parity
