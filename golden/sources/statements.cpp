// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/sources/statements.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>

#include "core/text.hpp"
#include "golden/files/attribute_text.hpp"
#include "golden/files/one_line.hpp"

namespace parity::golden {
namespace {

constexpr const char* kRounding = "rounding";
constexpr const char* kFunctions = "function_ulps";
constexpr double kMostUlps = 0x1p16;  // one ulp of bf16: what errs by more is no binary32 function

/// Glob and value of a word "glob=value"; the glob of "own" is "*".
std::pair<std::string, std::string> glob_and_value(const std::string& word) {
  const size_t sign = word.find('=');
  if (sign == std::string::npos) return {"*", word};
  return {word.substr(0, sign), word.substr(sign + 1)};
}

/// Throws for an unknown name, because a misspelt statement would be ignored.
void check_statement_names(const Attributes& root) {
  const std::vector<std::string> known{kRounding, kFunctions};
  for (const auto& [name, value] : root) {
    const bool ours = name.find("rounding") != std::string::npos || name.starts_with("function");
    PARITY_CHECK(!ours || std::find(known.begin(), known.end(), name) != known.end(), schema,
                 "attribute {} is not one that parity reads{}; use {}", one_line(name, 60), did_you_mean(name, known),
                 fmt::join(known, ", "));
  }
}

Statements::Rounding rounding_of(const std::string& word) {
  const auto [glob, value] = glob_and_value(word);
  if (glob.empty() || (value != "own" && value != "oracle"))
    refuse(kRounding, word, "own, oracle, or GLOB=own for some components, such as moe_*=own");
  return {glob, value == "own"};
}

Statements::Functions functions_of(const std::string& word) {
  const auto [glob, value] = glob_and_value(word);
  double ulps = 0.0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), ulps);
  const bool read = error == std::errc() && end == value.data() + value.size();
  if (glob.empty() || !read || !(ulps > 0.0 && ulps <= kMostUlps))
    refuse(kFunctions, word,
           "a number of binary32 ulps up to 65536, or GLOB=NUMBER for some components, such as swiglu=64");
  return {glob, ulps};
}

template <class Statement>
const Statement* last_of(const std::vector<Statement>& statements, const std::string& component) {
  const auto found = std::find_if(statements.rbegin(), statements.rend(),
                                  [&](const Statement& statement) { return glob_match(statement.glob, component); });
  return found == statements.rend() ? nullptr : &*found;
}

}  // namespace

std::optional<bool> Statements::rounds_its_own_way(const std::string& component) const {
  const Rounding* stated = last_of(rounding, component);
  return stated == nullptr ? std::nullopt : std::optional(stated->own);
}

bool Statements::any_own() const {
  return std::any_of(rounding.begin(), rounding.end(), [](const Rounding& stated) { return stated.own; });
}

std::optional<double> Statements::function_ulps(const std::string& component) const {
  const Functions* stated = last_of(functions, component);
  return stated == nullptr ? std::nullopt : std::optional(stated->ulps);
}

std::vector<std::string> Statements::text() const {
  std::vector<std::string> lines, words;
  for (const Rounding& stated : rounding)
    words.push_back(fmt::format("{}={}", stated.glob, stated.own ? "own" : "oracle"));
  if (!words.empty()) lines.push_back(fmt::format("{} {}", kRounding, fmt::join(words, " ")));
  words.clear();
  for (const Functions& stated : functions) words.push_back(fmt::format("{}={}", stated.glob, stated.ulps));
  if (!words.empty()) lines.push_back(fmt::format("{} {}", kFunctions, fmt::join(words, " ")));
  return lines;
}

Statements statements_of(const Attributes& root) {
  check_statement_names(root);
  Statements stated;
  for (const std::string& word : words_of(text_of(root, kRounding))) stated.rounding.push_back(rounding_of(word));
  for (const std::string& word : words_of(text_of(root, kFunctions))) stated.functions.push_back(functions_of(word));
  return stated;
}

}  // namespace parity::golden
