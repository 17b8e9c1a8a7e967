// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <iostream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/battery/built_kernel.hpp"
#include "cli/battery/judge_request.hpp"
#include "cli/commands.hpp"
#include "reports/json/json.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr size_t kLongest = size_t{16} << 20U;  // bytes of a request

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
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
  const cases::FreshOptions options = fresh_options(request);
  const BuiltKernel built(request);
  answer["compile_ms"] = built.milliseconds();
  const auto begin = Clock::now();
  const cases::Plugin plugin(built.word());
  answer["load_ms"] = milliseconds_since(begin);
  const auto judged = Clock::now();
  const cases::FreshVerdict verdict = fresh_verdict(plugin, options);
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
    const Json request = parse_request(line);
    if (request.contains("id")) answer["id"] = request["id"];
    judge(request, answer);
  } catch (const Json::exception& error) {
    answer["verdict"] = "not judged";
    answer["error"] = fmt::format("{} (docs/plugins.md describes requests)", error.what());
  } catch (const Error& error) {
    answer["verdict"] = "not judged";
    answer["error"] = error.what();
  }
  return answer;
}

}  // namespace

int judge_lines(const JudgeOptions&) {
  std::string line;
  while (true) {
    const LineRead read = read_line(std::cin, kLongest, line);
    if (read == LineRead::end) break;
    PARITY_CHECK(read == LineRead::whole, usage,
                 "a request has more than {} MiB, so parity judge stops reading; send smaller requests",
                 kLongest >> 20U);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    fmt::print("{}\n", reports::printable_json(answer_to(line), -1));
    (void)std::fflush(stdout);
  }
  return holds;
}

}  // namespace parity::cli
