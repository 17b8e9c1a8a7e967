// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Wrong ids that are the expected ones under other names: experts or blocks counted from the other end, two of them exchanged.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/value_moves.hpp"

namespace parity::compare {
namespace {

using Names = std::map<int64_t, int64_t>;  // expected id -> the one that stands there

/// What the ids count: experts where there are slots for them, else key blocks.
std::pair<char, int64_t> counted(const ValueView& view) {
  const AxisSizes& sizes = view.query().sizes;
  for (const char letter : {'E', 'J'}) {
    const auto size = sizes.find(letter);
    if (size != sizes.end() && view.largest() < static_cast<double>(size->second)) return {letter, size->second};
  }
  return {' ', static_cast<int64_t>(view.largest()) + 1};
}

/// The commonest new name of each id that is wrong somewhere.
Names names_of(const ValueView& view) {
  std::map<int64_t, std::map<int64_t, int64_t>> uses;
  for (const int64_t i : view.wrong())
    ++uses[static_cast<int64_t>(view.expected(i))][static_cast<int64_t>(view.got(i))];
  Names names;
  for (const auto& [id, all] : uses) {
    names[id] = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                  return a.second < b.second;
                })->first;
  }
  return names;
}

/// Kind and words for the names; each id is asked of the rule.
std::pair<ValueKind, std::string> described(const Names& names, int64_t count, const std::string& word) {
  constexpr size_t kShort = 8;
  const auto all = [&](const auto& rule) {
    return std::all_of(names.begin(), names.end(), [&](const auto& n) { return rule(n.first) == n.second; });
  };
  const auto& [first, other] = *names.begin();
  if (names.size() == 2 && other == names.rbegin()->first && names.rbegin()->second == first)
    return {ValueKind::exchanged, fmt::format("{} {} and {} exchanged", plural(word), first, other)};
  if (all([&](int64_t id) { return count - 1 - id; }))
    return {ValueKind::reversed, fmt::format("{} counted from the last", plural(word))};
  const int64_t turn = ((other - first) % count + count) % count;
  if (all([&](int64_t id) { return (id + turn) % count; }))
    return {ValueKind::shifted, fmt::format("{} counted from {} around the end", plural(word), turn)};
  std::vector<std::string> pairs;
  for (const auto& [id, name] : names) pairs.push_back(fmt::format("{} for {}", name, id));
  return {ValueKind::permuted, names.size() <= kShort ? fmt::format("{} {}", plural(word), fmt::join(pairs, ", "))
                                                      : fmt::format("{} {} renamed", names.size(), plural(word))};
}

/// A row of two ids that were exchanged is the same choice.
bool same_choice(const ValueView& view, const Names& names, int64_t i) {
  const int64_t width = view.query().shape.empty() ? 1 : view.query().shape.back(), first = i / width * width;
  std::vector<int64_t> renamed, got;
  for (int64_t k = first; k < first + width; ++k) {
    const auto id = static_cast<int64_t>(view.expected(k));
    const auto name = names.find(id);
    renamed.push_back(name == names.end() ? id : name->second);
    got.push_back(static_cast<int64_t>(view.got(k)));
  }
  std::sort(renamed.begin(), renamed.end());
  std::sort(got.begin(), got.end());
  return renamed == got;
}

}  // namespace

std::vector<Claim> claims_of_ids(const ValueView& view) {
  if (is_float(view.query().dtype) || view.wrong().empty() || view.query().dtype == DType::boolean) return {};
  const auto [letter, count] = counted(view);
  const Names names = names_of(view);
  std::set<int64_t> targets;
  for (const auto& [id, name] : names) targets.insert(name);
  if (targets.size() != names.size()) return {};
  const std::string axis = letter == ' ' ? "" : std::string(1, letter);
  const auto [kind, detail] = described(names, count, axis.empty() ? "id" : axis_word(axis));
  Claim claim{kind, axis, detail, 0, 0.0};
  std::map<int64_t, int64_t> repeated;
  for (int64_t i = 0; i < view.query().count; ++i) {
    const auto name = names.find(static_cast<int64_t>(view.expected(i)));
    if (name == names.end()) continue;
    if (static_cast<int64_t>(view.got(i)) != name->second) {
      if (!view.is_wrong(i) && !same_choice(view, names, i)) return {};  // the same id is right elsewhere
      continue;
    }
    if (!view.is_wrong(i)) continue;
    ++claim.explained;
    const bool fitted = kind == ValueKind::permuted && ++repeated[name->first] == 1;
    if (!fitted) claim.evidence += view.surprise(view.got(i), 0.0);
  }
  claim.evidence -= std::log2(static_cast<double>(count));
  return {claim};
}

}  // namespace parity::compare
