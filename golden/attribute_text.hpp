// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attributes of a file's root as text: lists of words, and values that are none of those documented.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/activation_file.hpp"

namespace parity::golden {

/// Separated by blanks or commas: names and globs hold neither.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
/// The value of one attribute; empty when there is none.
[[nodiscard]] std::string text_of(const Attributes& attributes, const std::string& name);
/// Error{schema} that names the attribute, its value and what is `wanted`.
[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& wanted);

}  // namespace parity::golden
