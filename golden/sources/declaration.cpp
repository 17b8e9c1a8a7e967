// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/sources/declaration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/ranges.h>

#include "core/text.hpp"
#include "golden/files/attribute_text.hpp"
#include "golden/files/one_line.hpp"

namespace parity::golden {
namespace {

constexpr std::string_view kNotComputed = "not_computed_";

bool yes_or_no(const Attributes& attributes, const std::string& name) {
  const std::string value = text_of(attributes, name);
  if (!value.empty() && value != "yes" && value != "no") refuse(name, value, "yes or no");
  return value == "yes";
}

std::vector<std::string> calls_of(const Attributes& attributes) {
  const std::string name = "not_computed_calls";
  std::vector<std::string> calls = words_of(text_of(attributes, name));
  for (const std::string& call : calls) {
    if (call.size() != 3 || call.find_first_not_of("0123456789") != std::string::npos)
      refuse(name, call, "names of calls as under steps/, such as 003");
  }
  return calls;
}

std::vector<int64_t> rows_of(const Attributes& attributes) {
  const std::string name = "not_computed_rows";
  std::vector<int64_t> rows;
  for (const std::string& word : words_of(text_of(attributes, name))) {
    int64_t row = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), row);
    if (error != std::errc() || end != word.data() + word.size() || row < 0)
      refuse(name, word, "indices of sequences, counted from 0");
    rows.push_back(row);
  }
  return rows;
}

IdsOrder order_of(const Attributes& attributes) {
  const std::string value = text_of(attributes, "ids_order");
  if (value.empty()) return IdsOrder::unstated;
  if (value != "list" && value != "set") refuse("ids_order", value, "list (descending score) or set (any order)");
  return value == "set" ? IdsOrder::set : IdsOrder::list;
}

std::optional<double> nothing_in(const Attributes& attributes) {
  const std::string value = text_of(attributes, "nothing");
  if (value.empty()) return std::nullopt;
  double number = 0.0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool read = error == std::errc() && end == value.data() + value.size();
  if (!read || std::isnan(number) || number >= 0.0)
    refuse("nothing", value, "the negative number that your engine stores for -inf, such as -3.4e38");
  return number;
}

/// Throws for an unknown name, because a misspelt one would leave a gap undeclared or hide one.
void check_declared_names(const Attributes& attributes) {
  const std::vector<std::string> known{"computed_taps", "not_computed_taps", "not_computed_calls", "not_computed_rows",
                                       "not_computed_padding"};
  for (const auto& [name, value] : attributes) {
    const bool ours = name.find("computed") != std::string::npos;
    PARITY_CHECK(!ours || std::find(known.begin(), known.end(), name) != known.end(), schema,
                 "attribute {} is not one that parity reads{}; use {}", one_line(name, 60), did_you_mean(name, known),
                 fmt::join(known, ", "));
  }
}

/// Throws for an unknown value, because the tap would not be judged, and no message would say why.
void check_computed(const ActivationFile& file) {
  for (const DatasetInfo& dataset : file.datasets()) {
    const auto found = dataset.attributes.find(kComputed);
    if (found == dataset.attributes.end()) continue;
    const std::string& value = found->second;
    if (value == "yes" || value == "no" || value == kLent) continue;
    with_context("dataset " + dataset.path, [&] {
      refuse(kComputed, value, "yes (filled), no (not filled yet) or lent (other software computed it)");
    });
  }
}

}  // namespace

std::string call_of(const std::string& path) {
  constexpr std::string_view kSteps = "steps/";
  if (!path.starts_with(kSteps)) return {};
  return path.substr(kSteps.size(), path.find('/', kSteps.size()) - kSteps.size());
}

std::string tap_of_every_place(const std::string& tap) {
  std::string result;
  for (size_t first = 0; first <= tap.size();) {
    const size_t last = std::min(tap.find('/', first), tap.size());
    const std::string part = tap.substr(first, last - first);
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    result += (first > 0 ? "/" : "") + (number ? std::string("*") : part);
    first = last + 1;
  }
  return result;
}

bool Declaration::leaves_out(const std::string& tap, const std::string& alias) const {
  const std::string call = call_of(tap);
  if (!call.empty() && std::find(calls.begin(), calls.end(), call) != calls.end()) return true;
  const auto meets = [&](const std::string& glob) { return glob_match(glob, tap) || glob_match(glob, alias); };
  if (std::any_of(taps.begin(), taps.end(), meets)) return true;
  return !only.empty() && std::none_of(only.begin(), only.end(), meets);
}

std::vector<std::string> Declaration::text() const {
  std::vector<std::string> lines;
  if (!taps.empty()) lines.push_back(fmt::format("taps {}", fmt::join(taps, " ")));
  if (!only.empty()) lines.push_back(fmt::format("taps other than {}", fmt::join(only, " ")));
  if (!calls.empty()) lines.push_back(fmt::format("calls {}", fmt::join(calls, " ")));
  if (!rows.empty()) lines.push_back(fmt::format("sequences {}", fmt::join(rows, " ")));
  if (padding) lines.emplace_back("padding");
  return lines;
}

Declaration declaration_of(const ActivationFile& file) {
  return with_context(file.path().string(), [&] {
    const Attributes& root = file.attributes();
    check_declared_names(root);
    check_computed(file);
    Declaration declared;
    const std::string marker = text_of(root, kMarker);
    if (!marker.empty() && marker != kMarked) refuse(kMarker, marker, std::string("'") + kMarked + "'");
    declared.marked = marker == kMarked;
    declared.taps = words_of(text_of(root, std::string(kNotComputed) + "taps"));
    declared.only = words_of(text_of(root, "computed_taps"));
    declared.calls = calls_of(root);
    declared.rows = rows_of(root);
    declared.padding = yes_or_no(root, std::string(kNotComputed) + "padding");
    declared.ids_order = order_of(root);
    declared.nothing = nothing_in(root);
    declared.stated = statements_of(root);
    declared.own_weights = yes_or_no(file.group_attributes("weights"), "own");
    return declared;
  });
}

bool is_computed(const DatasetInfo& dataset) {
  const auto found = dataset.attributes.find(kComputed);
  return found == dataset.attributes.end() || found->second == "yes" || found->second == kLent;
}

bool is_lent(const DatasetInfo& dataset) {
  const auto found = dataset.attributes.find(kComputed);
  return found != dataset.attributes.end() && found->second == kLent;
}

std::optional<double> nothing_of(const DatasetInfo& dataset, const Declaration& file) {
  const auto own = with_context("dataset " + dataset.path, [&] { return nothing_in(dataset.attributes); });
  return own ? own : file.nothing;
}

}  // namespace parity::golden
