// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/runs/choices.hpp"

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

void Choices::refuse(const std::string& option, const std::string& given) const {
  const std::string what = fmt::format("{} '{}'", option, given);
  const std::string use = fmt::format("use {}", fmt::join(words_, ", "));
  const optimized::Backend* backend = cases::backend_of(given);
  if (backend != nullptr) with_context(what, [&] { backend->require(); });
  const bool absent = backend != nullptr || cases::library_of(given) == "gpu";
  PARITY_CHECK(!absent, device, "{}: this build has no such backend; {}", what, use);
  throw Error(ErrorCode::usage, fmt::format("{} is not known here{}; {}", what, did_you_mean(given, words_), use));
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
