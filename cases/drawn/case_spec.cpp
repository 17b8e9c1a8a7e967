// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/drawn/case_spec.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/error.hpp"
#include "core/text.hpp"

namespace parity::cases {
namespace {

/// Parses one extent, such as "S1" in the list "S1,H3".
std::pair<char, int64_t> extent_of(const std::string& word, const std::string& text) {
  const bool number = word.size() > 1 && word.size() < 12 &&
                      std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  PARITY_CHECK(number, usage, "'{}' in case '{}' is not an extent; expected an axis letter and a number, such as S1",
               word, text);
  return {word.front(), std::stoll(word.substr(1))};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) c == separator ? static_cast<void>(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

}  // namespace

const char* to_string(Lane lane) {
  constexpr std::array kNames{"boundary", "anywhere", "special", "exact", "large"};
  return kNames.at(static_cast<size_t>(lane));
}

Lane parse_lane(const std::string& text, const std::string& where) {
  const auto lane = std::find_if(kLanes.begin(), kLanes.end(), [&](Lane each) { return text == to_string(each); });
  std::vector<std::string> names;
  for (const Lane each : kLanes) names.emplace_back(to_string(each));
  PARITY_CHECK(lane != kLanes.end(), usage, "{}: lane '{}' is not known{}; use {}", where, text,
               did_you_mean(text, names), "boundary, anywhere, special, exact or large");
  return *lane;
}

std::string CaseSpec::text() const {
  std::string result = fmt::format("{}:{}:{}:{}", component, to_string(working), to_string(lane), seed);
  for (const auto& [letter, extent] : given)
    result += fmt::format("{}{}{}", letter == given.begin()->first ? ':' : ',', letter, extent);
  return result;
}

CaseSpec parse_case(const std::string& text, const std::vector<std::string>& known) {
  const auto parts = split(text, ':');
  PARITY_CHECK(parts.size() == 4 || parts.size() == 5, usage,
               "'{}' is not a case; expected COMPONENT:TYPE:LANE:SEED[:EXTENTS], as printed in a failing line", text);
  CaseSpec spec;
  spec.component = parts[0];
  PARITY_CHECK(std::find(known.begin(), known.end(), spec.component) != known.end(), usage,
               "case '{}': '{}' has no random cases{}", text, spec.component, did_you_mean(spec.component, known));
  const auto working = parse_dtype(parts[1]);
  PARITY_CHECK(working == DType::f32 || working == DType::bf16 || working == DType::f16, usage,
               "case '{}': type '{}' is not known; use f32, bf16 or f16", text, parts[1]);
  spec.working = *working;
  spec.lane = parse_lane(parts[2], fmt::format("case '{}'", text));
  const char* end = parts[3].data() + parts[3].size();
  const auto read = std::from_chars(parts[3].data(), end, spec.seed);
  PARITY_CHECK(read.ec == std::errc() && read.ptr == end, usage, "case '{}': seed '{}' is not a number", text,
               parts[3]);
  if (parts.size() == 5) {
    for (const std::string& word : split(parts[4], ',')) spec.given.insert(extent_of(word, text));
  }
  return spec;
}

void require_given(const CaseSpec& spec, const AxisSizes& drawn, const std::string& text) {
  for (const auto& [letter, extent] : spec.given) {
    const auto had = drawn.find(letter);
    PARITY_CHECK(had != drawn.end(), usage, "case {}: the component has no extent {}{}; its extents are {}",
                 spec.text(), letter, extent, text);
    PARITY_CHECK(had->second == extent, usage,
                 "case {}: extent {} cannot be {} together with the other extents; use for example {}", spec.text(),
                 letter, extent, text);
  }
}

}  // namespace parity::cases
