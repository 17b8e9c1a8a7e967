// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/goldens/manifest.hpp"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "core/text.hpp"

namespace parity::compare {
namespace {

bool is_judged(Status status) {
  return status == Status::pass || status == Status::fail || status == Status::mistrusted;
}

/// Returns the taps that the mode judged, with their components.
std::map<std::string, std::string> judged_in(const GoldenReport& golden, const std::string& mode) {
  std::map<std::string, std::string> taps;
  for (const Record& record : golden.records) {
    if (to_string(record.mode) == mode && is_judged(record.status)) taps.emplace(record.tap, record.component);
  }
  return taps;
}

bool concerns(const std::string& key, const std::string& tap, const std::string& component) {
  return key.find('/') == std::string::npos ? key == component : glob_match(key, tap);
}

/// Returns "; not judged: a, b, …" for the outputs under `key` that were not judged, or "" if there are none.
std::string without_judgement(const std::string& key, const GoldenReport& golden,
                              const std::map<std::string, std::string>& judged) {
  constexpr size_t kShown = 4;
  std::vector<std::string> names;
  for (const auto& [tap, component] : golden.outputs) {
    if (concerns(key, tap, component) && !judged.contains(tap)) names.push_back(tap);
  }
  if (names.empty()) return "";
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<int64_t>(std::min(kShown, names.size())));
  return fmt::format("; not judged: {}{}", fmt::join(shown, ", "), names.size() > kShown ? ", …" : "");
}

/// Returns the tap with every digit replaced by "?": "steps/???/text/layers/??/out".
std::string without_digits(std::string tap) {
  for (char& letter : tap) {
    if (letter >= '0' && letter <= '9') letter = '?';
  }
  return tap;
}

constexpr const char* kAdvice = "record or select these taps again, or write a new manifest (--write-manifest)";

/// Describes what the golden lacks: the first shortfall in full, and the number of others. Returns "" if nothing.
std::string lack_of(const GoldenReport& golden, const Expectation& expected, const std::string& source) {
  std::string first;
  int64_t lacks = 0;
  for (const auto& [mode, counts] : expected.judged) {
    const auto judged = judged_in(golden, mode);
    for (const auto& [key, least] : counts) {
      const auto found =
          std::count_if(judged.begin(), judged.end(), [&](const auto& t) { return concerns(key, t.first, t.second); });
      if (found >= least || lacks++ > 0) continue;
      first = fmt::format("only {} of the {} taps of {} that {} requires were judged in mode {}{}", found, least, key,
                          source, mode, without_judgement(key, golden, judged));
    }
  }
  if (lacks == 0) return "";
  return fmt::format("{}{}; {}", first, lacks > 1 ? fmt::format("; {} more such shortfalls", lacks - 1) : "", kAdvice);
}

/// Makes a passing golden mistrusted because of `lack`. A golden that already failed only gets a note.
void mistrust(GoldenReport& golden, const std::string& lack) {
  const bool green = is_green(golden.verdict) || golden.verdict == Status::not_recorded;
  if (green) golden.verdict = Status::mistrusted;
  if (green) golden.answer = Answer::not_shown;
  if (green && golden.reason.empty()) {
    golden.reason = lack;
  } else {
    golden.notes.push_back(lack);
  }
}

GoldenReport not_run(const std::string& name, const std::string& source) {
  GoldenReport report;
  report.name = report.path = name;
  report.verdict = Status::mistrusted;
  report.reason = fmt::format("{} requires this golden, which was not run; name it, or write a new manifest", source);
  return report;
}

}  // namespace

Manifest manifest_of(const RunReport& report, bool by_name) {
  Manifest manifest;
  for (const GoldenReport& golden : report.goldens) {
    PARITY_CHECK(!manifest.goldens.contains(golden.name), usage,
                 "two goldens are named {}, and a manifest lists goldens by name; run them separately", golden.name);
    Expectation& expected = manifest.goldens[golden.name];
    expected.status = golden.verdict;
    for (const Mode mode : {Mode::isolated, Mode::chained, Mode::forced}) {
      for (const auto& [tap, component] : judged_in(golden, to_string(mode)))
        ++expected.judged[to_string(mode)][by_name ? tap : without_digits(tap)];
    }
  }
  return manifest;
}

void hold_to(const Manifest& manifest, const std::string& source, RunReport& report) {
  std::set<std::string> seen;
  for (GoldenReport& golden : report.goldens) {
    seen.insert(golden.name);
    const auto expected = manifest.goldens.find(golden.name);
    if (expected == manifest.goldens.end()) {
      mistrust(golden,
               fmt::format("{} does not list this golden; leave it out, or write a new manifest (--write-manifest)",
                           source));
      continue;
    }
    std::string lack = lack_of(golden, expected->second, source);
    if (lack.empty() && golden.verdict != expected->second.status)
      lack = fmt::format("{} expects the verdict {} for this golden", source, to_string(expected->second.status));
    if (!lack.empty()) mistrust(golden, lack);
  }
  for (const auto& [name, expected] : manifest.goldens) {
    if (!seen.contains(name)) report.goldens.push_back(not_run(name, source));
  }
}

}  // namespace parity::compare
