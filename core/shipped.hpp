// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What comes with the program, found relative to it: an installed tree can be moved.
#pragma once

#include <filesystem>

namespace parity {

/// Folder of the running program: PREFIX/bin, or build/<preset>/<room>.
[[nodiscard]] std::filesystem::path program_folder();

/// A relative path that is not in the current folder, such as golden/data/m3-text-bf16: that of PREFIX/share/parity if it
/// is there. Everything else as it is.
[[nodiscard]] std::filesystem::path shipped(const std::filesystem::path& path);

}  // namespace parity
