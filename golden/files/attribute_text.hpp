// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attributes of a file's root as text: lists of words, and errors for undocumented values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/files/activation_file.hpp"

namespace parity::golden {

/// The words of a text, separated by blanks or commas; names and globs contain neither.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
/// The value of one attribute; empty when there is none.
[[nodiscard]] std::string text_of(const Attributes& attributes, const std::string& name);
/// Throws Error{schema} with the attribute's name, its value and the `wanted` one.
[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& wanted);

}  // namespace parity::golden
