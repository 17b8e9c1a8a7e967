// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/words/command_words.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/plans/tiny/published_configs.hpp"

namespace parity::cli {

CLI::Option* add_seed(CLI::App& c, uint64_t& seed, const char* help) {
  return c.add_option("--seed", seed, help)->capture_default_str()->check([](const std::string& text) {
    constexpr size_t kDigits = 9;  // every study can store a number of this length
    const bool fits = text.find_first_not_of("0123456789") == std::string::npos && text.size() <= kDigits;
    return fits ? std::string()
                : fmt::format("'{}' is not a seed; use a whole number of at most {} digits", text, kDigits);
  });
}

std::string published_words() { return fmt::format("{}", fmt::join(published_names(), " | ")); }

std::vector<CLI::Option*> add_sizes(CLI::App& c, SynthesizeOptions& s, CLI::Option* needed) {
  std::vector<CLI::Option*> sizes;
  const auto add = [&](const char* name, auto& target, const char* help) {
    sizes.push_back(c.add_option(name, target, help)->capture_default_str());
    if (needed != nullptr) sizes.back()->needs(needed);
  };
  add("--layers", s.layers, "Which layers of the published model");
  add("--words", s.words, "Vocabulary size instead of the published one");
  add("--dtype", s.dtype, "bf16 | f32 | f64");
  add("--batch", s.batch, "Sequences");
  add("--tokens", s.tokens, "Tokens of the prefill");
  add("--decode", s.decode, "Decode steps after the prefill");
  CLI::Option* seed = add_seed(c, s.seed, "Seed of weights and tokens");
  if (needed != nullptr) seed->needs(needed);
  return sizes;
}

}  // namespace parity::cli
