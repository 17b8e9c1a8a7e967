// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>
#include <omp.h>

#include "benches/chain.hpp"
#include "core/environment.hpp"
#include "core/text.hpp"
#include "optimized/cpu/level.hpp"
#include "optimized/registry.hpp"

namespace parity::benches {
namespace {

using Json = nlohmann::ordered_json;

/// A sample is the fastest of so many calls that it takes about this long.
constexpr double kSampleSeconds = 0.01;

void measure_case(const BenchCase& bench, DType type, const MeasureOptions& options, const Peaks& peaks,
                  std::vector<Measurement>& rows) {
  std::optional<Call> call;
  for (const KernelEntry& entry : bench_registry().kernels()) {
    if (entry.component != bench.component || !glob_match(options.backend, entry.backend)) continue;
    const std::string suffix = entry.variant.substr(std::min(entry.variant.find('-'), entry.variant.size()));
    if (entry.variant != to_string(type) + suffix) continue;
    Measurement row{bench.name(type) + "/" + entry.backend + suffix, entry.backend};
    if (!glob_match(options.select, row.name)) continue;
    if (options.progress) options.progress(row.name);
    if (!call) call = bench.make(type, options.seed);
    if (const auto wrong = why_wrong(*call, entry.run, slices_of(*call, options.seed))) {
      row.why = *wrong;
      rows.push_back(std::move(row));
      continue;
    }
    const Prepared prepared(*call, entry.run);
    Timed timed{[&] { prepared.run(); }};
    if (options.cold) timed.before = [&] { prepared.flush(); };
    const double once = interleaved({timed}, 3).front().back();
    const int best_of = std::clamp(static_cast<int>(kSampleSeconds / std::max(once, 1e-7)), 1, 200);
    row.samples = interleaved({timed}, options.samples, best_of).front();
    const Work work = bench.work(*call);
    row.share = ideal_seconds(peaks, type, work, is_cached(peaks, work, options.cold)) / median(row.samples);
    if (options.instructions) {
      const auto counts = counted_instructions(options.program, row.name, 3);
      row.instructions = counts[counts.size() / 2];
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace

BenchEnvironment BenchEnvironment::here() {
  const Environment environment = capture_environment();
  return {environment.cpu, cpu::to_string(cpu::level()), environment.build_type, environment.compiler,
          omp_get_max_threads()};
}

std::string BenchEnvironment::difference(const BenchEnvironment& other) const {
  const auto differ = [](const char* what, const auto& a, const auto& b) {
    return a == b ? std::string() : fmt::format("{} '{}' against '{}'", what, a, b);
  };
  for (const std::string& text :
       {differ("cpu", cpu, other.cpu), differ("level", level, other.level), differ("threads", threads, other.threads),
        differ("build", build, other.build), differ("compiler", compiler, other.compiler)}) {
    if (!text.empty()) return text;
  }
  return {};
}

Baseline measure(const MeasureOptions& options) {
  Baseline baseline{BenchEnvironment::here(), {}};
  const Peaks peaks = measure_peaks();
  std::vector<Measurement> again;
  for (const bool second : {false, true}) {  // a pass over everything, then another: what lasts is seen by one only
    MeasureOptions pass = options;
    if (second) pass.instructions = false;
    for (const BenchCase& bench : bench_cases()) {
      for (const DType type : {DType::f32, DType::bf16})
        measure_case(bench, type, pass, peaks, second ? again : baseline.rows);
    }
  }
  for (size_t i = 0; i < baseline.rows.size() && i < again.size(); ++i) {
    baseline.rows[i].again = again[i].samples;
    if (baseline.rows[i].why.empty()) baseline.rows[i].why = again[i].why;
  }
  return baseline;
}

bool Compared::slower() const { return times == Verdict::slower || (instructions && *instructions == Verdict::slower); }

std::vector<Compared> compare(const Baseline& old, const Baseline& now, const Rules& rules) {
  const std::string difference = old.environment.difference(now.environment);
  PARITY_CHECK(difference.empty(), unsupported,
               "the two were measured in different environments ({}); measure a baseline here", difference);
  std::map<std::string, const Measurement*> before;
  for (const Measurement& row : old.rows) before[row.name] = &row;
  std::vector<Compared> result;
  for (const Measurement& row : now.rows) {
    Compared compared{row.name};
    const auto found = before.find(row.name);
    if (found == before.end()) {
      compared.why = "not in the baseline";
    } else if (row.samples.empty() || row.again.empty()) {
      compared.why = row.why.empty() ? "not timed twice" : row.why;
      compared.wrong = !row.why.empty();
    } else if (found->second->samples.empty() || found->second->again.empty()) {
      compared.why = "the baseline has no time";
    } else {
      const Measurement& was = *found->second;
      compared.times =
          confirmed(compare_times(was.samples, row.samples, rules), compare_times(was.again, row.again, rules));
      compared.ratio = median(row.samples) / median(was.samples);
      if (was.instructions > 0 && row.instructions > 0)
        compared.instructions = compare_counts(was.instructions, row.instructions, rules);
    }
    before.erase(row.name);
    result.push_back(std::move(compared));
  }
  for (const auto& [name, row] : before) {
    Compared gone{name};
    gone.why = "no longer there";
    gone.gone = true;
    result.push_back(std::move(gone));
  }
  return result;
}

std::string to_json(const Baseline& baseline) {
  const BenchEnvironment& e = baseline.environment;
  Json document{
      {"schema_version", "1.0"},
      {"environment",
       {{"cpu", e.cpu}, {"level", e.level}, {"build", e.build}, {"compiler", e.compiler}, {"threads", e.threads}}},
      {"rows", Json::array()}};
  for (const Measurement& row : baseline.rows)
    document["rows"].push_back({{"name", row.name},
                                {"backend", row.backend},
                                {"why", row.why},
                                {"samples", row.samples},
                                {"again", row.again},
                                {"instructions", row.instructions},
                                {"share", row.share}});
  return document.dump(1) + "\n";
}

Baseline baseline_from_json(const std::string& text, const std::string& name) {
  try {
    const Json document = Json::parse(text);
    const Json& e = document.at("environment");
    Baseline baseline{{e.at("cpu"), e.at("level"), e.at("build"), e.at("compiler"), e.at("threads")}, {}};
    for (const Json& row : document.at("rows"))
      baseline.rows.push_back({row.at("name"), row.at("backend"), row.at("why"), row.at("samples"), row.at("again"),
                               row.at("instructions"), row.at("share")});
    return baseline;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::schema, fmt::format("{}: not a file of parity bench --save: {}", name, error.what()));
  }
}

}  // namespace parity::benches
