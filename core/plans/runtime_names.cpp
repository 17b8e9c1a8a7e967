// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/runtime_names.hpp"

#include <cctype>
#include <charconv>
#include <cstring>
#include <map>

#include "core/error.hpp"

namespace parity {

namespace {

using Captured = std::map<std::string, std::string>;
constexpr const char* kExpert = "{E}";
constexpr const char* kWeight = ".weight";
constexpr const char* kScales = "_scale_inv";

int64_t number(const std::string& digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  PARITY_CHECK(error == std::errc{}, not_found, "expert number {} does not exist", digits);
  return value;
}

/// The text of each placeholder if `name` matches the pattern; otherwise nothing.
std::optional<Captured> match(const std::string& pattern, const std::string& name) {
  Captured captured;
  size_t at = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') {
      captured["*"] = name.substr(at);
      return captured;
    }
    if (pattern[i] != '{') {
      if (at >= name.size() || name[at++] != pattern[i]) return std::nullopt;
      continue;
    }
    const size_t first = at;
    while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0) ++at;
    if (at == first) return std::nullopt;
    captured[pattern.substr(i, 3)] = name.substr(first, at - first);
    i += 2;
  }
  return at == name.size() ? std::optional(captured) : std::nullopt;
}

std::string filled(std::string pattern, const Captured& captured) {
  for (const auto& [placeholder, text] : captured) {
    const size_t at = pattern.find(placeholder);
    if (at != std::string::npos) pattern.replace(at, placeholder.size(), text);
  }
  return pattern;
}

}  // namespace

RuntimeNames RuntimeNames::of(const std::string& system, const std::string& model_class) {
  static const std::map<std::string, std::string> named{{"minimax_m3_vl", "MiniMaxM3SparseForConditionalGeneration"},
                                                        {"minimax_m2", "MiniMaxM2ForCausalLM"},
                                                        {"minimax_text_01", "MiniMaxForCausalLM"}};
  RuntimeNames result;
  const auto by_config = named.find(system);
  result.model_class_ = model_class.empty() && by_config != named.end() ? by_config->second : model_class;
  result.rules_ = runtime_rules(result.model_class_);
  PARITY_CHECK(result.rules_ != nullptr, unsupported, "the names of class '{}' of system '{}' are not known; known: {}",
               result.model_class_, system, fmt::join(runtime_classes(), " "));
  return result;
}

std::optional<RuntimePlace> RuntimeNames::find(const std::string& published) const {
  if (published.ends_with(kWeight + std::string(kScales))) {  // next to the matrix, in its shares
    auto place = find(published.substr(0, published.size() - std::strlen(kScales)));
    if (place) place->name += kScales;
    return place;
  }
  for (const RuntimeRule& rule : *rules_) {
    const auto captured = match(rule.published, published);
    if (!captured) continue;
    const auto expert = captured->find(kExpert);
    const int64_t member = expert == captured->end() ? -1 : number(expert->second);
    return RuntimePlace{filled(rule.runtime, *captured), member, rule.part, rule.parts};
  }
  return std::nullopt;
}

RuntimePlace RuntimeNames::runtime(const std::string& published) const {
  const auto place = find(published);
  PARITY_CHECK(place.has_value(), not_found, "{} has no parameter published as '{}'", model_class_, published);
  return *place;
}

std::string RuntimeNames::published(const RuntimePlace& place) const {
  if (place.name.ends_with(kScales)) {
    const std::string matrix = place.name.substr(0, place.name.size() - std::strlen(kScales));
    return published({matrix, place.member, place.part, place.parts}) + kScales;
  }
  for (const RuntimeRule& rule : *rules_) {
    const bool stacked = rule.published.find(kExpert) != std::string::npos;
    if (rule.part != place.part || rule.parts != place.parts || stacked != (place.member >= 0)) continue;
    auto captured = match(rule.runtime, place.name);
    if (!captured) continue;
    if (stacked) (*captured)[kExpert] = std::to_string(place.member);
    return filled(rule.published, *captured);
  }
  const std::string member = place.member < 0 ? "" : fmt::format("member {}, ", place.member);
  throw Error(ErrorCode::not_found, fmt::format("{} does not contain '{}' ({}part {} of {})", model_class_, place.name,
                                                member, place.part + 1, place.parts));
}

}  // namespace parity
