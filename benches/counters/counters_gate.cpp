// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The JSON document of counted kernels, and the gate that compares counts with those of such a document.
#include <nlohmann/json.hpp>

#include "benches/counters/counters.hpp"
#include "core/text.hpp"
#include "reports/counters/counters_growth.hpp"
#include "reports/counters/counters_json.hpp"
#include "reports/files/schema_check.hpp"

namespace parity::benches {
namespace {

using Json = nlohmann::ordered_json;
using optimized::cuda::CountedLaunch;

Json launch_json(const CountedCase& counted, const CountedLaunch& launch) {
  Json made = reports::to_json(launch.counters);
  const auto found = counted.assembled.find(launch.what.kernel);
  if (found == counted.assembled.end()) return made;
  const Assembled& by = found->second;
  made["assembled"] = {
      {"registers", by.registers}, {"spilled_bytes", by.spilled_bytes}, {"shared_bytes", by.shared_bytes}};
  return made;
}

Json case_json(const CountedCase& counted) {
  Json made{{"name", counted.name}, {"why", counted.why}};
  const Work& ideal = counted.ideal;
  made["ideal"] = {{"flops", ideal.flops}, {"read", ideal.read}, {"written", ideal.written}};
  made["launches"] = Json::array();
  for (const CountedLaunch& launch : counted.launches) made["launches"].push_back(launch_json(counted, launch));
  if (counted.launches.size() > 1) made["total"] = reports::to_json(counted.total());
  return made;
}

/// Compares launch by launch.
CounterVerdict compared(const CountedCase& now, const std::vector<ptx::Counters>& before) {
  CounterVerdict verdict{now.name};
  const auto differ = [&](const std::string& what) {
    verdict.why = what + "; write a new baseline with --json";
    verdict.lost = true;
  };
  if (now.launches.size() != before.size()) {
    differ(fmt::format("{} kernel launches, but the baseline has {}", now.launches.size(), before.size()));
    return verdict;
  }
  for (size_t i = 0; i < before.size(); ++i) {
    try {
      for (const reports::Growth& growth : reports::grown(before[i], now.launches[i].counters))
        verdict.grown.push_back(fmt::format("{}: {}", before[i].kernel, reports::describe(growth)));
    } catch (const Error& error) {
      differ(error.what());
    }
  }
  return verdict;
}

}  // namespace

Json to_json(const std::vector<CountedCase>& cases, const CounterOptions& options) {
  Json body;
  if (options.gpu != nullptr) body["gpu"] = options.gpu->id;
  body["seed"] = options.seed;
  body["sample"] = options.sample;
  body["cases"] = Json::array();
  for (const CountedCase& counted : cases) body["cases"].push_back(case_json(counted));
  return body;
}

CounterBaseline counter_baseline_from_json(const nlohmann::json& document, const std::string& name) {
  const auto fitting = reports::schema_violations(document, reports::study_schema(), 1);
  PARITY_CHECK(fitting.empty(), schema, "{}: {}; write this file with parity bench --counters --json", name,
               fitting.front());
  const bool complete = document.at("kind") == "counters" && document.contains("cases") && document.contains("seed") &&
                        document.contains("sample");
  PARITY_CHECK(complete, schema, "{}: not a file of counters; write this file with parity bench --counters --json",
               name);
  CounterBaseline baseline{document.at("seed").get<uint64_t>(), document.at("sample").get<uint64_t>(), {}};
  size_t number = 0;
  for (const nlohmann::json& counted : document.at("cases")) {
    const std::string place = fmt::format("{}/cases/{}/launches/", name, number++);
    std::vector<ptx::Counters>& launches = baseline.cases[counted.at("name").get<std::string>()];
    for (const nlohmann::json& launch : counted.at("launches"))
      launches.push_back(reports::counters_from_json(launch, place + std::to_string(launches.size())));
  }
  return baseline;
}

void require_same_operands(const CounterBaseline& before, const CounterOptions& options) {
  PARITY_CHECK(
      before.seed == options.seed && before.sample == options.sample, unsupported,
      "the baseline was counted with --seed {} --sample {}, not with --seed {} --sample {}; use the same options",
      before.seed, before.sample, options.seed, options.sample);
}

std::vector<CounterVerdict> compare_counters(const CounterBaseline& before, const std::vector<CountedCase>& now,
                                             const CounterOptions& options) {
  require_same_operands(before, options);
  std::vector<CounterVerdict> verdicts;
  std::map<std::string, std::vector<ptx::Counters>> left = before.cases;
  for (const CountedCase& counted : now) {
    const auto found = left.find(counted.name);
    if (!counted.why.empty()) {
      verdicts.push_back({counted.name, {}, counted.why, true});
    } else if (found == left.end()) {
      verdicts.push_back({counted.name, {}, "not in the baseline"});
    } else {
      verdicts.push_back(compared(counted, found->second));
    }
    left.erase(counted.name);
  }
  for (const auto& [name, launches] : left) {
    if (glob_match(options.select, name)) verdicts.push_back({name, {}, "no longer counted", true});
  }
  return verdicts;
}

}  // namespace parity::benches
