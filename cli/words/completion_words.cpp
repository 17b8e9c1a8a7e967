// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "cli/words/completion.hpp"
#include "core/plans/profile.hpp"
#include "core/shipped.hpp"
#include "faults/catalogue.hpp"
#include "reference/reference.hpp"

namespace parity::cli {
namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

Words fault_ids() {
  Words ids;
  for (const faults::Fault& fault : faults::catalogue()) ids.push_back(fault.id);
  return ids;
}

Words profile_names() {
  Words names;
  for (const Profile& profile : profiles()) names.push_back(profile.name);
  return names;
}

/// Returns the embedded goldens by their paths in the source tree; an installed program accepts these paths anywhere.
Words golden_names() {
  Words names;
  for (const char* folder : {"golden/data", "golden/cut", "golden/processors"}) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(shipped(folder), error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->is_directory(error)) names.push_back(folder + ("/" + entry->path().filename().string()));
    }
  }
  return names;
}

bool is_mentioned(const CLI::Option& option, const char* word) {
  return option.get_description().find(word) != std::string::npos;
}

/// Returns the words around the bars of "isolated | chained (default: …)"; "fault:ID" gives a word for each fault.
Words alternatives(const std::string& description) {
  std::istringstream stream(description);
  const Words all{std::istream_iterator<std::string>(stream), {}};
  Words words;
  const auto add = [&](std::string word) {
    while (!word.empty() && std::string(":;,").find(word.back()) != std::string::npos) word.pop_back();
    const size_t id = word.find("ID"), file = word.find("FILE");
    if (word.find_first_of("()") != std::string::npos) return;
    if (id == std::string::npos) return words.push_back(word.substr(0, file));
    for (const std::string& fault : fault_ids()) words.push_back(word.substr(0, id) + fault);
  };
  for (size_t i = 1; i + 1 < all.size(); ++i) {
    if (all[i] != "|") continue;
    add(all[i - 1]);
    add(all[i + 1]);
  }
  return words;
}

/// Returns the values that the option's description says it accepts.
Words values_of(const CLI::Option& option) {
  Words words = alternatives(option.get_description());
  const bool positional = option.get_positional();
  if (is_mentioned(option, "parity list faults") || (positional && is_mentioned(option, ", fault")))
    append(words, fault_ids());
  if (is_mentioned(option, "parity list profiles")) append(words, profile_names());
  if (is_mentioned(option, "omponent")) append(words, reference::registry().components());
  const bool golden = is_mentioned(option, "olden") || is_mentioned(option, "GOLDEN");
  if (golden && (positional || option.get_name() == "--golden")) append(words, golden_names());
  return words;
}

Words names_of(const CLI::App& scope) {
  Words names;
  for (const CLI::Option* option : scope.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

const CLI::Option* option_of(const CLI::App& scope, const std::string& word) {
  const CLI::Option* found = scope.get_option_no_throw(word.substr(0, word.find('=')));
  return found != nullptr && found->get_items_expected_max() > 0 ? found : nullptr;
}

/// The state of the command line after all words but the last.
struct Place {
  const CLI::App* scope = nullptr;
  const CLI::Option* open = nullptr;  // the option whose value comes next
  bool greedy = false;                // `open` has a value already and accepts more
};

const CLI::App* command_of(const CLI::App& scope, const std::string& word) {
  const auto found = scope.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; });
  return found.empty() ? nullptr : found.front();
}

void step(Place& place, const std::string& word) {
  const CLI::App* command = command_of(*place.scope, word);
  if (word.starts_with("-")) {
    place.open = word.find('=') == std::string::npos ? option_of(*place.scope, word) : nullptr;
    place.greedy = false;
  } else if (place.open != nullptr && !place.greedy) {
    const bool more = place.open->get_items_expected_max() > 1 && place.open->get_allow_extra_args();
    place.greedy = more;
    if (!more) place.open = nullptr;
  } else if (place.open == nullptr && command != nullptr) {
    place.scope = command;
  }
}

Words candidates(const Place& place, const std::string& last) {
  const size_t equals = last.find('=');
  if (last.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = option_of(*place.scope, last);
    Words words;
    for (const std::string& value : option == nullptr ? Words() : values_of(*option))
      words.push_back(last.substr(0, equals + 1) + value);
    return words;
  }
  if (last.starts_with("-")) return names_of(*place.scope);
  if (place.open != nullptr) return values_of(*place.open);
  Words words;
  for (const CLI::App* command : place.scope->get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) words.push_back(command->get_name());
  }
  for (const CLI::Option* option : place.scope->get_options()) {
    if (option->get_positional() && !option->get_group().empty()) append(words, values_of(*option));
  }
  return words;
}

}  // namespace

Words completions(const CLI::App& app, const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) {
    std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
    words.push_back(word);
  }
  if (words.empty() || line.ends_with(' ')) words.emplace_back();
  Place place{&app};
  for (size_t i = 1; i + 1 < words.size(); ++i) step(place, words[i]);
  Words found = words.size() < 2 ? Words() : candidates(place, words.back());
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(words.back()); });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace parity::cli
