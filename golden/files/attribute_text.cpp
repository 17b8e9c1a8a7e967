// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/attribute_text.hpp"

#include <algorithm>

#include "golden/files/one_line.hpp"

namespace parity::golden {

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n,";
  std::vector<std::string> words;
  for (size_t first = text.find_first_not_of(kBetween); first != std::string_view::npos;) {
    const size_t last = std::min(text.find_first_of(kBetween, first), text.size());
    words.emplace_back(text.substr(first, last - first));
    first = text.find_first_not_of(kBetween, last);
  }
  return words;
}

void refuse(const std::string& name, const std::string& value, const std::string& wanted) {
  throw Error(ErrorCode::schema, fmt::format("attribute {} is '{}'; use {}", name, one_line(value, 40), wanted));
}

std::string text_of(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

}  // namespace parity::golden
