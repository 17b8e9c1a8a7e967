// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds wrong ids that are the expected ones renamed: experts or blocks counted from the other end, or two exchanged.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/values/value_moves.hpp"

namespace parity::compare {
namespace {

using Names = std::map<int64_t, int64_t>;  // expected id -> id got

/// Returns the axis letter that the ids index and its extent: experts if all ids fit, else key blocks.
std::pair<char, int64_t> counted(const ValueView& view) {
  const AxisSizes& sizes = view.query().sizes;
  for (const char letter : {'E', 'J'}) {
    const auto size = sizes.find(letter);
    if (size != sizes.end() && view.largest() < static_cast<double>(size->second)) return {letter, size->second};
  }
  return {' ', static_cast<int64_t>(view.largest()) + 1};
}

/// Returns the ids in `one` that are not in `other`.
std::vector<int64_t> only_in(std::vector<int64_t> one, std::vector<int64_t> other) {
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  std::vector<int64_t> result;
  std::set_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(result));
  return result;
}

struct Row {
  std::vector<int64_t> expected, got;
  int64_t wrongs = 0;
};

/// Returns the ids of each row. Their order within a row is ignored.
std::vector<Row> rows_of(const ValueView& view) {
  const int64_t width = view.query().shape.empty() ? 1 : std::max<int64_t>(view.query().shape.back(), 1);
  std::vector<Row> rows;
  for (int64_t i = 0; i < view.query().count; ++i) {
    if (i % width == 0) rows.emplace_back();
    rows.back().expected.push_back(static_cast<int64_t>(view.expected(i)));
    rows.back().got.push_back(static_cast<int64_t>(view.got(i)));
    rows.back().wrongs += view.is_wrong(i) ? 1 : 0;
  }
  return rows;
}

/// Returns the commonest new name of each id. Rows with one exchanged id determine it, else ids in the same slot. A
/// name that occurs in only a few rows is a near-tie.
Names names_of(const std::vector<Row>& rows) {
  std::map<int64_t, std::map<int64_t, int64_t>> uses;
  int64_t single = 0;
  for (const Row& row : rows) {
    const auto gone = only_in(row.expected, row.got), come = only_in(row.got, row.expected);
    if (gone.size() != 1 || come.size() != 1) continue;
    ++uses[gone.front()][come.front()];
    ++single;
  }
  if (single == 0) {
    for (const Row& row : rows) {
      for (size_t k = 0; k < row.got.size(); ++k) {
        if (row.wrongs > 0) ++uses[row.expected[k]][row.got[k]];
      }
    }
  }
  constexpr int64_t kFewOneIn = 50;
  const auto count_of = [](const auto& all) {
    int64_t total = 0;
    for (const auto& [name, count] : all) total += count;
    return total;
  };
  int64_t total = 0;
  for (const auto& [id, all] : uses) total += count_of(all);
  Names names;
  for (const auto& [id, all] : uses) {
    if (count_of(all) * kFewOneIn < total) continue;
    const auto most =
        std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most->first != id) names[id] = most->first;
  }
  return names;
}

/// Returns the kind and a description of the renaming. A rule is named if it fits every id.
std::pair<ValueKind, std::string> described(const Names& names, int64_t count, const std::string& word) {
  constexpr size_t kShort = 8;
  const auto all = [&](const auto& rule) {
    return std::all_of(names.begin(), names.end(), [&](const auto& n) { return rule(n.first) == n.second; });
  };
  constexpr size_t kRule = 3;  // fewest ids for a rule, because any two ids fit several
  const auto& [first, other] = *names.begin();
  if (names.size() == 2 && other == names.rbegin()->first && names.rbegin()->second == first)
    return {ValueKind::exchanged, fmt::format("{} {} and {} exchanged", plural(word), first, other)};
  const int64_t plus = other - first;
  if (names.size() >= kRule && all([&](int64_t id) { return id + plus; }))
    return {ValueKind::offset, fmt::format("{} plus {}", plural(word), plus)};
  if (names.size() >= kRule && all([&](int64_t id) { return count - 1 - id; }))
    return {ValueKind::reversed, fmt::format("{} counted from the end", plural(word))};
  const int64_t turn = ((other - first) % count + count) % count;
  if (names.size() >= kRule && all([&](int64_t id) { return (id + turn) % count; }))
    return {ValueKind::shifted, fmt::format("{} counted from {} (with wraparound)", plural(word), turn)};
  std::vector<std::string> pairs;
  for (const auto& [id, name] : names) pairs.push_back(fmt::format("{} for {}", name, id));
  return {ValueKind::permuted, names.size() <= kShort ? fmt::format("{} {}", plural(word), fmt::join(pairs, ", "))
                                                      : fmt::format("{} {} renamed", names.size(), plural(word))};
}

/// Whether the row's ids are its expected ids under their new names.
bool renamed(const Names& names, const Row& row) {
  std::vector<int64_t> ids;
  for (const int64_t id : row.expected) {
    const auto name = names.find(id);
    ids.push_back(name == names.end() ? id : name->second);
  }
  return only_in(ids, row.got).empty();
}

/// Completes an exchange of two ids if the rows show only one direction and none contradicts the other.
void add_other_way(const std::vector<Row>& rows, Names& names) {
  if (names.size() != 1) return;
  Names both = names;
  both[names.begin()->second] = names.begin()->first;
  if (std::all_of(rows.begin(), rows.end(), [&](const Row& row) { return renamed(both, row); })) names = both;
}

}  // namespace

std::vector<Claim> claims_of_ids(const ValueView& view) {
  if (is_float(view.query().dtype) || view.wrong().empty() || view.query().dtype == DType::boolean) return {};
  const auto [letter, count] = counted(view);
  const std::vector<Row> rows = rows_of(view);
  Names names = names_of(rows);
  add_other_way(rows, names);
  std::set<int64_t> targets;
  for (const auto& [id, name] : names) targets.insert(name);
  if (names.empty() || targets.size() != names.size()) return {};
  const std::string axis = letter == ' ' ? "" : std::string(1, letter);
  const auto [kind, detail] = described(names, count, axis.empty() ? "id" : axis_word(axis));
  Claim claim{kind, axis, detail, 0, 0.0};
  std::set<int64_t> fitted;
  for (const Row& row : rows) {
    const bool holds = renamed(names, row);
    if (!holds && row.wrongs == 0) return {};  // the same id is right in other rows
    if (!holds) continue;
    claim.explained += row.wrongs;
    for (const int64_t id :
         only_in(row.expected, row.got)) {  // the first use of an id sets its name, later ones confirm it
      if (!fitted.insert(id).second)
        claim.evidence += view.surprise(static_cast<double>(names.contains(id) ? names.at(id) : id), 0.0);
    }
  }
  claim.evidence -= std::log2(static_cast<double>(count));
  return {claim};
}

}  // namespace parity::compare
