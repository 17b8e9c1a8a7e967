// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The interface of a fuzz target: for any input, a parser returns a result or throws Error, soon and in little memory.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace parity::fuzz {

/// Parses one input. Throws Error for a refused input; Error{internal}, any other exception and a signal are defects.
void try_input(std::string_view input);

/// Writes an input for a parser that reads a file. ext4 writes a file that was cut to nothing to the disk at once, so
/// the file is a new one each time.
inline void write_new(const std::filesystem::path& file, std::string_view input) {
  std::filesystem::remove(file);
  std::ofstream(file, std::ios::binary) << input;
}

}  // namespace parity::fuzz
