// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/runs/choices.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cases/backends.hpp"
#include "cases/plugin/plugin.hpp"
#include "core/text.hpp"

namespace parity::cli {

Choices::Choices(std::vector<std::string> before, const std::vector<std::string>& backends,
                 const std::vector<std::string>& after)
    : words_(std::move(before)) {
  words_.insert(words_.end(), backends.begin(), backends.end());
  words_.insert(words_.end(), after.begin(), after.end());
}

std::string Choices::text() const { return fmt::format("{}", fmt::join(words_, " | ")); }

namespace {

/// The word that `given`, the name of a file, should have been: "lib:./k.so"; empty if no word here is for such a file.
std::string word_of_file(const std::string& given, const std::vector<std::string>& words) {
  const std::array<std::array<std::string, 3>, 5> kinds{{{".h5", "capture:", ""},
                                                         {".so", "lib:", ""},
                                                         {".py", "python:", "::FUNCTION"},
                                                         {".cu", "cu:", ""},
                                                         {".ptx", "ptx:", ""}}};
  for (const auto& [ending, prefix, rest] : kinds) {
    const bool known =
        std::any_of(words.begin(), words.end(), [&p = prefix](const auto& word) { return word.starts_with(p); });
    if (known && given.ends_with(ending)) return prefix + given + rest;
  }
  return {};
}

/// The words without those of single variants ("cuda-host:sm90-checked"), which only fill the line.
std::vector<std::string> without_variants(std::vector<std::string> words) {
  std::erase_if(words, [](const std::string& word) {
    const size_t colon = word.find(':');
    const bool form = word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos;
    return colon != std::string::npos && !form && word.substr(colon) != ":fused";
  });
  return words;
}

}  // namespace

void Choices::refuse(const std::string& option, const std::string& given) const {
  const std::string what = fmt::format("{} '{}'", option, given);
  const std::string file = word_of_file(given, words_);
  PARITY_CHECK(file.empty(), usage, "{} is a file; did you mean '{}'?", what, file);
  const std::string hint = did_you_mean(given, words_);
  const std::string use = fmt::format("use {}", fmt::join(without_variants(words_), ", "));
  const optimized::Backend* backend = cases::backend_of(given);
  if (backend != nullptr) with_context(what, [&] { backend->require(); });
  const bool absent = backend != nullptr || cases::library_of(given) == "gpu";
  const bool variant = given.find(':') != std::string::npos;  // another backend is no misspelt one
  PARITY_CHECK(!absent, device, "{}: this build has no such backend{}; {}", what, variant ? hint : "", use);
  throw Error(ErrorCode::usage, fmt::format("{} is not known to this command{}; {}", what, hint, use));
}

namespace {

/// The words, and those of kernels in a process of their own.
std::vector<std::string> with_plugins(std::vector<std::string> words) {
  const auto forms = cases::plugin_forms();
  words.insert(words.end(), forms.begin(), forms.end());
  return words;
}

}  // namespace

Choices judged_values() {
  return {{"golden", "reference"},
          cases::candidates(),
          with_plugins({"fault:ID", optimized::own_backend() + "+fault:ID", "capture:FILE"})};
}

Choices planted_kernels() { return {{}, cases::candidates(), with_plugins({})}; }

Choices related_kernels() { return {{"reference"}, cases::backends(), with_plugins({"fault:ID"})}; }

Choices battery_kernels() {
  return {{"correct", "reference"}, cases::candidates(), with_plugins({"fault:ID", "cu:FILE", "ptx:FILE"})};
}

}  // namespace parity::cli
