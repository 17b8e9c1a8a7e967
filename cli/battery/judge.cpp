// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <iostream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cases/plugin/fresh_verdict.hpp"
#include "cli/battery/built_kernel.hpp"
#include "cli/commands.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

cases::FreshOptions options_of(const Json& request) {
  constexpr int64_t kMost = 1000;
  cases::FreshOptions options;
  options.component = request.value("component", "");
  options.cases = request.value("cases", options.cases);
  options.timed = request.value("timed", options.timed);
  for (const int64_t count : {options.cases, options.timed + 1})
    PARITY_CHECK(count > 0 && count <= kMost, usage, "'cases' is 1 to {0}, and 'timed' 0 to {0}", kMost - 1);
  const Json extents = request.value("extents", Json::object());
  for (const auto& [letter, extent] : extents.items()) {
    PARITY_CHECK(letter.size() == 1, usage, "'extents' has the key '{}'; use axis letters (parity show)", letter);
    options.extents[letter.front()] = extent.get<int64_t>();
  }
  return options;
}

Json extents_json(const AxisSizes& sizes) {
  Json json = Json::object();
  for (const auto& [letter, extent] : sizes) json[std::string(1, letter)] = extent;
  return json;
}

Json failure_json(const cases::FreshFailure& failure) {
  const compare::Record& record = failure.record;
  Json json{{"component", failure.spec.component},
            {"type", to_string(failure.spec.working)},
            {"lane", to_string(failure.spec.lane)},
            {"extents", extents_json(cases::draw_case(failure.spec).drawn)},
            {"status", to_string(record.status)},
            {"why", record.reason},
            {"tap", record.tap},
            {"where", record.where},
            {"failed", record.failed},
            {"elements", record.elements},
            {"times_the_limit", record.budget_used}};
  if (record.nan) json["never_written"] = record.nan->never_written;
  return json;
}

Json times_json(const std::vector<cases::FreshTime>& times) {
  constexpr double kMicro = 1e6;
  Json list = Json::array();
  for (const cases::FreshTime& time : times)
    list.push_back({{"component", time.spec.component},
                    {"type", to_string(time.spec.working)},
                    {"extents", extents_json(time.spec.given)},
                    {"calls", time.seconds.size()},
                    {"us_median", median(time.seconds) * kMicro},
                    {"us_least", *std::min_element(time.seconds.begin(), time.seconds.end()) * kMicro}});
  return list;
}

void judge(const Json& request, Json& answer) {
  const BuiltKernel built(request);
  answer["compile_ms"] = built.milliseconds();
  const auto begin = Clock::now();
  const cases::Plugin plugin(built.word());
  answer["load_ms"] = milliseconds_since(begin);
  const auto judged = Clock::now();
  const cases::FreshVerdict verdict = fresh_verdict(plugin, options_of(request));
  answer["judge_ms"] = milliseconds_since(judged);
  answer["verdict"] = verdict.right() ? "right" : verdict.cases == 0 ? "not judged" : "wrong";
  answer["cases"] = verdict.cases;
  answer["failed"] = verdict.failed;
  answer["errors"] = verdict.errors;
  answer["refused"] = verdict.refused;
  answer["mistrusted"] = verdict.mistrusted;
  if (verdict.first) answer["first"] = failure_json(*verdict.first);
  if (!verdict.times.empty()) answer["times"] = times_json(verdict.times);
}

Json answer_to(const std::string& line) {
  Json answer = Json::object();
  try {
    const Json request = Json::parse(line);
    PARITY_CHECK(request.is_object(), usage, "a request is a JSON object in one line");
    if (request.contains("id")) answer["id"] = request["id"];
    judge(request, answer);
  } catch (const Json::exception& error) {
    answer["verdict"] = "not judged";
    answer["error"] = fmt::format("the request does not follow docs/plugins.md: {}", error.what());
  } catch (const Error& error) {
    answer["verdict"] = "not judged";
    answer["error"] = error.what();
  }
  return answer;
}

}  // namespace

int judge_lines(const JudgeOptions&) {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json answer = answer_to(line);
    fmt::print("{}\n", answer.dump(-1, ' ', false, Json::error_handler_t::replace));
    (void)std::fflush(stdout);
  }
  return holds;
}

}  // namespace parity::cli
