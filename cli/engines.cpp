// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity selftest --engines FOLDER`: judges captures of real engines whose defects are known.
#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/reports/document.hpp"
#include "cli/runs/candidate.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "compare/goldens/golden_run.hpp"
#include "core/text.hpp"
#include "golden/files/strict_json.hpp"
#include "reports/text/format.hpp"
#include "reports/text/summary.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

/// One entry of truth.json: a capture, its golden, and the verdict that is known to be right.
struct Truth {
  std::string capture, golden, answer, first;
  std::vector<std::string> causes;  // for each cause, the tap where it is: part of a tap's name, or a glob
};

std::string text_of(const nlohmann::json& entry, const char* key, const std::string& place) {
  PARITY_CHECK(entry.contains(key) && entry[key].is_string(), schema, "{}: key '{}' is missing or is not a string",
               place, key);
  return entry[key].get<std::string>();
}

std::vector<std::string> causes_of(const nlohmann::json& entry, const std::string& place) {
  std::vector<std::string> causes;
  if (!entry.contains("causes")) return causes;
  PARITY_CHECK(entry["causes"].is_array(), schema, "{}: key 'causes' is not a list", place);
  for (const auto& cause : entry["causes"]) {
    PARITY_CHECK(cause.is_object(), schema, "{}: an entry of 'causes' is not an object", place);
    causes.push_back(text_of(cause, "tap", place));
  }
  return causes;
}

/// Returns the class as reports write it: "rounds differently" becomes "rounds_differently".
std::string answer_named(std::string words) {
  for (char& c : words) c = c == ' ' ? '_' : c;
  return words;
}

std::vector<Truth> truths_of(const fs::path& folder) {
  const fs::path path = folder / "truth.json";
  PARITY_CHECK(fs::exists(path), not_found, "{}: no such file; write it, with the correct verdict for each capture",
               path.string());
  const nlohmann::json document = golden::read_json(path);
  PARITY_CHECK(document.is_object() && document.contains("captures") && document["captures"].is_array(), schema,
               "{}: key 'captures' is missing or is not a list", path.string());
  std::vector<Truth> truths;
  for (const auto& entry : document["captures"]) {
    const std::string place = fmt::format("{}: captures/{}", path.string(), truths.size());
    PARITY_CHECK(entry.is_object(), schema, "{} is not an object", place);
    truths.push_back({text_of(entry, "capture", place), text_of(entry, "golden", place),
                      answer_named(text_of(entry, "truth", place)),
                      entry.contains("first") ? text_of(entry, "first", place) : std::string(),
                      causes_of(entry, place)});
  }
  return truths;
}

/// The program's answer about one capture, and whether it agrees with the truth.
struct Score {
  std::string answer, first;
  bool answer_right = false, place_right = false;
  std::vector<compare::Cause> causes;  // the causes that the program named
  size_t named = 0;                    // number of the truth's causes at whose taps the program says something
};

/// Counts the causes of `truth` at whose taps the report names a cause, or lists a deviation of the rounding.
size_t named_of(const Truth& truth, const compare::GoldenReport& report) {
  const auto at = [](const std::string& where, const std::string& tap) {
    return tap.find(where) != std::string::npos || glob_match(where, tap);
  };
  const auto named = [&](const std::string& where) {
    const auto cause = [&](const compare::Cause& known) { return at(where, known.tap); };
    const auto deviates = [&](const compare::Record& record) { return record.deviation && at(where, record.tap); };
    return std::any_of(report.causes.begin(), report.causes.end(), cause) ||
           std::any_of(report.records.begin(), report.records.end(), deviates);
  };
  return static_cast<size_t>(std::count_if(truth.causes.begin(), truth.causes.end(), named));
}

Score score_of(const fs::path& folder, const Truth& truth) {
  compare::RunOptions options;
  set_candidate("capture:" + (folder / "captures" / truth.capture).string(), options);
  Score score;
  try {
    const std::string path = (folder / "goldens" / truth.golden).lexically_normal().string();
    compare::GoldenReport report = compare::run_golden(golden::Golden::open(path), options);
    explain_divergence(path, options, report);
    score.causes = report.causes;
    score.named = named_of(truth, report);
    score.answer = to_string(report.answer);
    if (report.first_divergence) score.first = report.first_divergence->tap;
  } catch (const Error& error) {
    score.answer = error.what();
  }
  score.answer_right = score.answer == truth.answer;
  score.place_right =
      truth.answer != "wrong" || (!truth.first.empty() && score.first.find(truth.first) != std::string::npos);
  return score;
}

}  // namespace

int selftest_engines(const SelftestOptions& options) {
  const fs::path folder = options.engines;
  const auto truths = truths_of(folder);
  PARITY_CHECK(!truths.empty(), usage, "{}: the list 'captures' is empty; name the captures to judge",
               (folder / "truth.json").string());
  reports::Table table({"capture", "is", "said", "first", "right"}, 4);
  size_t answers = 0, places = 0, wrong = 0, causes = 0, named = 0;
  std::string said;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  ProgressBar bar("captures", options.quiet);
  for (const Truth& truth : truths) {
    bar.update(answers, truths.size(), truth.capture);
    const Score score = score_of(folder, truth);
    answers += score.answer_right ? 1 : 0;
    const bool is_wrong = truth.answer == "wrong";
    wrong += is_wrong ? 1 : 0;
    places += is_wrong && score.place_right ? 1 : 0;
    causes += is_wrong ? truth.causes.size() : 0;
    named += is_wrong ? score.named : 0;
    if (!score.causes.empty()) said += fmt::format("  {}\n", reports::plain(truth.capture));
    for (const compare::Cause& cause : score.causes) said += fmt::format("    {}\n", reports::cause_text(cause));
    rows.push_back({{"capture", truth.capture},
                    {"is", truth.answer},
                    {"said", score.answer},
                    {"first", score.first},
                    {"right", score.answer_right && score.place_right}});
    table.add({reports::plain(truth.capture), truth.answer, reports::plain(score.answer), reports::plain(score.first),
               score.answer_right && score.place_right ? "yes" : "NO"});
  }
  bar.pause();
  const bool all = answers == truths.size() && places == wrong && named == causes;
  write_document(options.json, "engines", all ? holds : broken,
                 {{"summary",
                   {{"captures", truths.size()},
                    {"class_right", answers},
                    {"wrong", wrong},
                    {"place_right", places},
                    {"causes", causes},
                    {"named", named}}},
                  {"captures", rows}});
  if (options.json == "-") return all ? holds : broken;
  fmt::print("{}{}", table.text("  ", terminal_width()), said);
  fmt::print(
      "{}  the result is as expected for {} of {} captures; of {} wrong captures the faulty place is found in {}; {} "
      "of {} causes are named\n",
      verdict_word(all ? "PASS" : "FAIL"), answers, truths.size(), wrong, places, named, causes);
  return all ? holds : broken;
}

}  // namespace parity::cli
