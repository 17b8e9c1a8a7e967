// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/lost_taps.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "core/text.hpp"

namespace parity::compare {
namespace {

using Names = std::vector<std::string>;

std::string counted(const Names& names, const std::string& what) {
  constexpr size_t kShown = 6;
  const Names shown(names.begin(), names.begin() + static_cast<int64_t>(std::min(kShown, names.size())));
  return fmt::format("{} {} {}: {}{}", names.size(), names.size() == 1 ? "tap" : "taps", what, fmt::join(shown, ", "),
                     names.size() > kShown ? ", …" : "");
}

/// Returns the outputs that the golden records and the capture neither has nor declares absent. Unfilled taps and taps
/// of another shape or type are not included, because they are reported elsewhere.
Names missing(const replay::Recording& golden, const replay::Recording& capture, const std::string& select) {
  Names names;
  for (const auto& [tap, info] : golden.plan().taps) {
    if (info.producer < 0 || !golden.has(tap) || capture.has(tap) || !glob_match(select, tap)) continue;
    if (capture.mismatches().contains(tap) || capture.unfilled().contains(tap)) continue;
    if (capture.declared().leaves_out(tap, golden.dataset(tap))) continue;
    names.push_back(tap);
  }
  return names;
}

/// Returns the tap of one layer with the call replaced by "*".
std::string tap_of_every_call(const std::string& tap) {
  const std::string call = golden::call_of(tap);
  return call.empty() ? tap : "steps/*" + tap.substr(std::string("steps/").size() + call.size());
}

/// Returns the taps that a capture without a declaration lost: a tap that the layer has in another call, or that
/// another layer has in this call unless the capture of the call ends before it.
Names lost_of(const Names& names, const replay::Recording& capture) {
  std::set<std::string> held_by_layer, held_by_call;
  std::map<std::string, int> last;  // for each call: its last node with a tap in the capture
  const auto in_call = [](const std::string& tap) {
    return golden::call_of(tap) + " " + golden::tap_of_every_place(tap);
  };
  for (const auto& [tap, info] : capture.plan().taps) {
    if (info.producer < 0 || !capture.has(tap)) continue;
    held_by_layer.insert(tap_of_every_call(tap));
    held_by_call.insert(in_call(tap));
    int& end = last.try_emplace(golden::call_of(tap), info.producer).first->second;
    end = std::max(end, info.producer);
  }
  Names lost;
  std::copy_if(names.begin(), names.end(), std::back_inserter(lost), [&](const std::string& tap) {
    const auto end = last.find(golden::call_of(tap));
    const bool before_end = end != last.end() && capture.plan().tap(tap).producer < end->second;
    return held_by_layer.contains(tap_of_every_call(tap)) || (before_end && held_by_call.contains(in_call(tap)));
  });
  return lost;
}

void check_globs(const replay::Recording& capture, Names& reasons) {
  const Plan& plan = capture.plan();
  Names known;
  for (const auto& [tap, info] : plan.taps) known.push_back(tap);
  for (const auto& [alias, tap] : plan.aliases) known.push_back(alias);
  const auto any = [&](const auto& meets) { return std::any_of(known.begin(), known.end(), meets); };
  const auto check = [&](const char* attribute, const Names& globs) {
    for (const std::string& glob : globs) {
      if (any([&](const std::string& tap) { return glob_match(glob, tap); })) continue;
      reasons.push_back(fmt::format("attribute {}: '{}' matches no tap{}", attribute, glob, did_you_mean(glob, known)));
    }
  };
  check("not_computed_taps", capture.declared().taps);
  check("computed_taps", capture.declared().only);
  for (const std::string& call : capture.declared().calls) {
    if (any([&](const std::string& tap) { return golden::call_of(tap) == call; })) continue;
    reasons.push_back(fmt::format("attribute not_computed_calls: the golden has no call {}", call));
  }
}

/// Adds a reason for each statement about a component that the plan does not have.
void check_components(const replay::Recording& capture, Names& reasons) {
  std::set<std::string> components;
  for (const Node& node : capture.plan().nodes) components.insert(node.component);
  const Names known(components.begin(), components.end());
  const auto check = [&](const char* attribute, const std::string& glob) {
    const auto meets = [&](const std::string& component) { return glob_match(glob, component); };
    if (std::any_of(known.begin(), known.end(), meets)) return;
    reasons.push_back(fmt::format("attribute {}: '{}' matches no component of the model{}", attribute, glob,
                                  did_you_mean(glob, known)));
  };
  for (const auto& stated : capture.declared().stated.rounding) check("rounding", stated.glob);
  for (const auto& stated : capture.declared().stated.functions) check("function_ulps", stated.glob);
}

void check_rows(const replay::Recording& capture, Names& reasons) {
  int64_t most = 0;
  for (const auto& [step, sizes] : capture.plan().sizes) {
    const auto found = sizes.find('B');
    if (found != sizes.end()) most = std::max(most, found->second);
  }
  for (const int64_t row : capture.declared().rows) {
    if (row >= most)
      reasons.push_back(
          fmt::format("attribute not_computed_rows: the golden has no sequence {}; it has {} sequences, counted from 0",
                      row, most));
  }
}

}  // namespace

std::vector<std::string> lacks_of(const replay::Recording& golden, const replay::Recording& capture,
                                  const std::string& select) {
  Names reasons;
  Names unfilled(capture.unfilled().begin(), capture.unfilled().end());
  std::erase_if(unfilled, [&](const std::string& tap) { return !glob_match(select, tap); });
  if (!unfilled.empty())
    reasons.push_back(counted(
        unfilled, "in the file, but never filled (after writing the values, set its attribute computed = \"yes\")"));
  const Names absent = missing(golden, capture, select);
  const bool declared = capture.declared().marked;
  const Names lost = declared ? absent : lost_of(absent, capture);
  if (!lost.empty())
    reasons.push_back(counted(lost, declared ? "missing, and not listed in not_computed_taps"
                                             : "missing, although other calls or layers have them"));
  const Names both(capture.contradicted().begin(), capture.contradicted().end());
  if (!both.empty()) reasons.push_back(counted(both, "listed as not computed, but filled"));
  check_globs(capture, reasons);
  check_components(capture, reasons);
  check_rows(capture, reasons);
  return reasons;
}

}  // namespace parity::compare
