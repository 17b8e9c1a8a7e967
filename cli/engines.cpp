// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity selftest --engines FOLDER`: captures of real engines of which somebody found out what is true.
#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/candidate.hpp"
#include "cli/progress.hpp"
#include "cli/selftest.hpp"
#include "compare/golden_run.hpp"
#include "golden/strict_json.hpp"
#include "reports/format.hpp"
#include "reports/table.hpp"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

/// One entry of truth.json.
struct Truth {
  std::string capture, golden, answer, first;
};

std::string text_of(const nlohmann::json& entry, const char* key, const std::string& place) {
  PARITY_CHECK(entry.contains(key) && entry[key].is_string(), schema, "{}: {} is no text", place, key);
  return entry[key].get<std::string>();
}

/// "rounds differently" as reports write it.
std::string answer_named(std::string words) {
  for (char& c : words) c = c == ' ' ? '_' : c;
  return words;
}

std::vector<Truth> truths_of(const fs::path& folder) {
  const fs::path path = folder / "truth.json";
  PARITY_CHECK(fs::exists(path), not_found, "{}: no such file; it lists captures and what is true of each",
               path.string());
  const nlohmann::json document = golden::read_json(path);
  PARITY_CHECK(document.is_object() && document.contains("captures") && document["captures"].is_array(), schema,
               "{}: captures is no list", path.string());
  std::vector<Truth> truths;
  for (const auto& entry : document["captures"]) {
    const std::string place = fmt::format("{}: captures/{}", path.string(), truths.size());
    PARITY_CHECK(entry.is_object(), schema, "{} is no object", place);
    truths.push_back({text_of(entry, "capture", place), text_of(entry, "golden", place),
                      answer_named(text_of(entry, "truth", place)),
                      entry.contains("first") ? text_of(entry, "first", place) : std::string()});
  }
  return truths;
}

/// What the program says of one capture, and whether that is true.
struct Score {
  std::string answer, first;
  bool answer_right = false, place_right = false;
};

Score score_of(const fs::path& folder, const Truth& truth) {
  compare::RunOptions options;
  set_candidate("capture:" + (folder / "captures" / truth.capture).string(), options);
  Score score;
  try {
    const auto golden = golden::Golden::open((folder / "goldens" / truth.golden).lexically_normal());
    const compare::GoldenReport report = compare::run_golden(golden, options);
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
  PARITY_CHECK(!truths.empty(), usage, "{}: no captures are listed", (folder / "truth.json").string());
  reports::Table table({"capture", "is", "said", "first", "right"}, 4);
  size_t answers = 0, places = 0, wrong = 0;
  ProgressBar bar("captures", false);
  for (const Truth& truth : truths) {
    bar.update(answers, truths.size(), truth.capture);
    const Score score = score_of(folder, truth);
    answers += score.answer_right ? 1 : 0;
    const bool is_wrong = truth.answer == "wrong";
    wrong += is_wrong ? 1 : 0;
    places += is_wrong && score.place_right ? 1 : 0;
    table.add({reports::plain(truth.capture), truth.answer, reports::plain(score.answer), reports::plain(score.first),
               score.answer_right && score.place_right ? "yes" : "NO"});
  }
  bar.update(truths.size(), truths.size(), "");
  const bool all = answers == truths.size() && places == wrong;
  fmt::print("{}", table.text("  "));
  fmt::print("{}  class right for {} of {} captures, place for {} of {} that are wrong\n", all ? "PASS" : "FAIL",
             answers, truths.size(), places, wrong);
  return all ? holds : broken;
}

}  // namespace parity::cli
