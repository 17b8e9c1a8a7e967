// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/region.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parity::compare {
namespace {

/// Splits a token of several axes ("AD" = (A, D), "N" = (B, S)). Returns nullopt if the sizes do not match.
std::optional<Grouping> taken_apart(const std::string& token, int64_t extent, const AxisSizes& sizes) {
  const std::string letters = token == "N" ? "BS" : token;
  Grouping apart;
  int64_t product = 1;
  for (const char letter : letters) {
    const auto size = sizes.find(letter);
    if (size == sizes.end()) return std::nullopt;
    apart.words.push_back(axis_word(std::string(1, letter)));
    apart.letters.emplace_back(1, letter);
    apart.extents.push_back(size->second);
    product *= size->second;
  }
  if (letters.size() < 2 || product != extent) return std::nullopt;
  return apart;
}

/// Returns the axis letter of a token: "F" for "2F", which has gate and up on one axis.
std::string letter_of(const std::string& token) {
  const size_t first = token.find_first_not_of("0123456789");
  return first == std::string::npos ? token : token.substr(first);
}

/// Returns the word in which a token is counted. A token of several axes counts by its last: "AD" in channels.
std::string last_word(const std::string& letters) {
  return axis_word(letters.size() < 2 ? letters : letters.substr(letters.size() - 1));
}

Region region_in(const Grouping& grouping, const std::vector<bool>& failed) {
  std::vector<std::vector<bool>> hit;
  for (const int64_t extent : grouping.extents) hit.emplace_back(static_cast<size_t>(extent), false);
  Region region;
  region.elements = static_cast<int64_t>(failed.size());
  for (size_t i = 0; i < failed.size(); ++i) {
    if (!failed[i]) continue;
    ++region.failed;
    auto rest = static_cast<int64_t>(i);
    for (size_t axis = grouping.extents.size(); axis-- > 0; rest /= grouping.extents[axis])
      hit[axis][static_cast<size_t>(rest % grouping.extents[axis])] = true;
  }
  for (size_t axis = 0; axis < hit.size(); ++axis) {
    Positions positions = positions_of(grouping.words[axis], hit[axis]);
    // A list of positions with one failing element each is no pattern.
    const bool list = positions.kind == Positions::Kind::runs;
    if (list && (!grouping.listing || region.failed < 2 * positions.count)) {
      positions.kind = Positions::Kind::every;
      positions.runs.clear();
    }
    if (!grouping.listing && positions.kind == Positions::Kind::loose) positions.kind = Positions::Kind::every;
    if (axis < grouping.letters.size()) positions.letter = grouping.letters[axis];
    region.parts.push_back(std::move(positions));
  }
  return region;
}

}  // namespace

std::string axis_word(const std::string& token) {
  static const std::map<std::string, std::string> kWords{
      {"B", "sequence"}, {"S", "token"},      {"N", "token"},   {"K", "slot"},    {"A", "head"},
      {"G", "kv head"},  {"X", "index head"}, {"J", "block"},   {"E", "expert"},  {"T", "top-k slot"},
      {"H", "channel"},  {"F", "channel"},    {"D", "channel"}, {"I", "channel"}, {"R", "channel"},
      {"V", "token id"}, {"M", "medium"},     {"U", "grid row"}};
  const auto found = kWords.find(token);
  if (found != kWords.end()) return found->second;
  return token.size() < 2 ? token : "column";
}

std::string position_text(const std::string& axes, const Shape& shape, const std::vector<int64_t>& index,
                          const AxisSizes& sizes) {
  auto tokens = split_axes(axes);
  tokens.resize(shape.size());
  std::vector<std::string> parts;
  for (size_t axis = 0; axis < shape.size() && axis < index.size(); ++axis) {
    const Grouping own{{last_word(letter_of(tokens[axis]))}, {shape[axis]}, true, {}};
    const Grouping apart = taken_apart(tokens[axis], shape[axis], sizes).value_or(own);
    int64_t stride = shape[axis];
    int64_t rest = index[axis];
    for (size_t i = 0; i < apart.extents.size(); ++i) {
      stride /= std::max<int64_t>(apart.extents[i], 1);
      const int64_t position = stride == 0 ? 0 : rest / stride;
      rest -= position * stride;
      const std::string& word = apart.words[i];
      if (apart.extents[i] > 1) parts.push_back(fmt::format("{} {}", word.empty() ? "element" : word, position));
    }
  }
  return parts.empty() ? "the one element" : fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<Grouping> groupings_of(const std::string& axes, const Shape& shape, const AxisSizes& sizes) {
  auto tokens = split_axes(axes);
  tokens.resize(shape.size());
  Grouping recorded, finer, rows, flat;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    recorded.words.push_back(axis_word(tokens[axis]));
    recorded.extents.push_back(shape[axis]);
    recorded.letters.push_back(letter_of(tokens[axis]));
    const Grouping own{{recorded.words.back()}, {shape[axis]}, true, {recorded.letters.back()}};
    const Grouping parts = taken_apart(tokens[axis], shape[axis], sizes).value_or(own);
    finer.words.insert(finer.words.end(), parts.words.begin(), parts.words.end());
    finer.extents.insert(finer.extents.end(), parts.extents.begin(), parts.extents.end());
    finer.letters.insert(finer.letters.end(), parts.letters.begin(), parts.letters.end());
  }
  std::vector<Grouping> result{recorded};
  if (finer.extents != recorded.extents) result = {finer, recorded};
  const int64_t elements = element_count(shape);
  if (shape.size() > 2 && elements > 0)
    result.push_back({{"row", recorded.words.back()},
                      {elements / shape.back(), shape.back()},
                      true,
                      {recorded.letters[shape.size() - 2], recorded.letters.back()}});
  if (shape.size() > 1 && elements > 0) result.push_back({{"element"}, {elements}, false});
  return result;
}

Region region_of(const std::vector<Grouping>& groupings, const std::vector<bool>& failed) {
  Region best;
  for (const Grouping& grouping : groupings) {
    Region region = region_in(grouping, failed);
    // Flat positions are harder to read, so they are used only if the region is a quarter smaller.
    const bool tighter = grouping.listing ? region.size() < best.size() : 4 * region.size() <= 3 * best.size();
    if (best.parts.empty() || tighter) best = std::move(region);
  }
  return best;
}

int64_t Region::size() const {
  int64_t product = 1;
  for (const Positions& part : parts) product *= part.size();
  return product;
}

bool Region::scattered() const {
  return failed < elements && std::none_of(parts.begin(), parts.end(), [](const auto& part) { return part.telling(); });
}

std::string Region::text() const {
  std::vector<std::string> named, counted;
  for (const Positions& part : parts) {
    const std::string text = part.text();
    if (text.empty()) continue;
    (part.telling() ? named : counted).push_back(text);
  }
  if (failed == 1 && !named.empty()) return fmt::format("the one in {}", fmt::join(named, ", "));
  if (elements == 1) return "the one element";
  if (failed == elements) return fmt::format("all {} elements", elements);
  if (named.empty()) {
    const std::string over = counted.empty() ? "" : fmt::format(" over {}", fmt::join(counted, ", "));
    if (2 * failed > elements) return fmt::format("{} of {} elements, spread over the tap", failed, elements);
    return fmt::format("{} of {} elements, scattered{}", failed, elements, over);
  }
  if (failed == size()) return fmt::format("all {} of {}", failed, fmt::join(named, ", "));
  return fmt::format("{} of the {} in {}", failed, size(), fmt::join(named, ", "));
}

}  // namespace parity::compare
