// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include <nlohmann/json.hpp>
#include <omp.h>

#include "benches/chain.hpp"
#include "core/environment.hpp"
#include "core/text.hpp"
#include "optimized/cpu/level.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/torch.hpp"

namespace parity::benches {
namespace {

using Json = nlohmann::ordered_json;

/// A sample is the fastest of so many calls that it takes about this long.
constexpr double kSampleSeconds = 0.01;

void measure_case(const BenchCase& bench, DType type, const MeasureOptions& options, PeakMeter& meter,
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
    row.type = type;
    row.work = bench.work(*call);
    time_kernel(*call, entry.run, options, row);
    if (options.instructions && row.why.empty()) {
      const auto counts = counted_instructions(options.program, row.name, 3);
      row.instructions = counts[counts.size() / 2];
    }
    rows.push_back(std::move(row));
    meter.probe();
  }
}

/// Which LibTorch, and what of the processor it may use.
std::string torch_here() {
  const auto allowed = [](const char* name) {
    const char* value = std::getenv(name);
    return fmt::format(", {} {}", name, value == nullptr ? "not set" : value);
  };
  return torch_backend::description() + allowed("ONEDNN_MAX_CPU_ISA") + allowed("MKL_ENABLE_INSTRUCTIONS");
}

}  // namespace

void time_kernel(const Call& call, const ErasedKernel& kernel, const MeasureOptions& options, Measurement& row) {
  if (const auto wrong = why_wrong(call, kernel, slices_of(call, options.seed))) {
    row.why = *wrong;
    return;
  }
  const JudgedOutputs judged(call);
  const Prepared prepared(call, kernel);
  Timed timed{[&] { prepared.run(); }};
  if (options.cold) timed.before = [&] { prepared.flush(); };
  {
    const torch_backend::Delivery stay(false);
    const double once = interleaved({timed}, 3).front().back();
    const int best_of = std::clamp(static_cast<int>(kSampleSeconds / std::max(once, 1e-7)), 1, 200);
    row.samples = interleaved({timed}, options.samples, best_of).front();
  }
  if (const auto changed = judged.why_changed(prepared)) {
    row.why = *changed;
    row.samples.clear();
  }
}

BenchEnvironment BenchEnvironment::here(const MeasureOptions& options) {
  const Environment environment = capture_environment();
  return {environment.cpu,      cpu::to_string(cpu::level()), environment.build_type,
          environment.compiler, omp_get_max_threads(),        options.samples,
          options.cold};
}

std::string BenchEnvironment::difference(const BenchEnvironment& other) const {
  const auto differ = [](const char* what, const auto& a, const auto& b) {
    return a == b ? std::string() : fmt::format("{} '{}' against '{}'", what, a, b);
  };
  const auto caches = [](bool out) { return std::string(out ? "cold" : "warm"); };
  for (const std::string& text :
       {differ("cpu", cpu, other.cpu), differ("level", level, other.level), differ("threads", threads, other.threads),
        differ("build", build, other.build), differ("compiler", compiler, other.compiler),
        differ("samples", samples, other.samples), differ("caches", caches(cold), caches(other.cold)),
        torch.empty() || other.torch.empty() ? std::string() : differ("LibTorch", torch, other.torch)}) {
    if (!text.empty()) return text;
  }
  return {};
}

Baseline measure(const MeasureOptions& options) {
  Baseline baseline{BenchEnvironment::here(options), {}};
  PeakMeter meter;
  meter.probe(PeakMeter::kManyTries);
  std::vector<Measurement> again;
  for (const bool second : {false, true}) {  // a pass over everything, then another: what lasts is seen by one only
    MeasureOptions pass = options;
    if (second) pass.instructions = false;
    for (const BenchCase& bench : bench_cases()) {
      for (const DType type : {DType::f32, DType::bf16})
        measure_case(bench, type, pass, meter, second ? again : baseline.rows);
    }
  }
  meter.probe(PeakMeter::kManyTries);
  baseline.peaks = meter.peaks();
  for (size_t i = 0; i < baseline.rows.size(); ++i) {
    Measurement& row = baseline.rows[i];
    row.again = again.at(i).samples;
    if (row.why.empty()) row.why = again[i].why;
    if (!row.why.empty()) row.samples.clear();  // wrong once is wrong
    if (!row.samples.empty())
      row.share = share_of(baseline.peaks, row.type, row.work, options.cold, median(row.samples));
    if (row.backend == "torch" && baseline.environment.torch.empty()) baseline.environment.torch = torch_here();
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
  const Peaks& peaks = baseline.peaks;
  Json document{{"schema_version", "1.1"},
                {"environment",
                 {{"cpu", e.cpu},
                  {"level", e.level},
                  {"build", e.build},
                  {"compiler", e.compiler},
                  {"threads", e.threads},
                  {"samples", e.samples},
                  {"cold", e.cold},
                  {"torch", e.torch}}},
                {"peaks",
                 {{"f32", peaks.f32},
                  {"bf16", peaks.bf16},
                  {"copy", peaks.copy},
                  {"read", peaks.read},
                  {"cache", peaks.cache},
                  {"f32_loop", peaks.f32_loop},
                  {"bf16_loop", peaks.bf16_loop},
                  {"f32_product", peaks.f32_product},
                  {"bf16_product", peaks.bf16_product}}},
                {"rows", Json::array()}};
  for (const Measurement& row : baseline.rows)
    document["rows"].push_back({{"name", row.name},
                                {"backend", row.backend},
                                {"why", row.why},
                                {"samples", row.samples},
                                {"again", row.again},
                                {"instructions", row.instructions},
                                {"flops", row.work.flops},
                                {"read", row.work.read},
                                {"written", row.work.written},
                                {"bound", to_string(row.share.bound)},
                                {"share", row.share.of_peak},
                                {"share_of_loop", row.share.of_loop}});
  return document.dump(1) + "\n";
}

namespace {

/// Files of before the environment said how was measured cannot be told from other ways.
void refuse_old(const Json& environment, const std::string& name) {
  for (const char* field : {"samples", "cold", "torch"})
    PARITY_CHECK(environment.contains(field), schema,
                 "{}: its environment lacks '{}', an older parity wrote it; measure again with parity bench --save",
                 name, field);
}

}  // namespace

Baseline baseline_from_json(const std::string& text, const std::string& name) {
  try {
    const Json document = Json::parse(text);
    const Json& e = document.at("environment");
    refuse_old(e, name);
    Baseline baseline{{e.at("cpu"), e.at("level"), e.at("build"), e.at("compiler"), e.at("threads"), e.at("samples"),
                       e.at("cold"), e.at("torch")},
                      {}};
    for (const Json& row : document.at("rows"))
      baseline.rows.push_back({row.at("name"), row.at("backend"), row.at("why"), row.at("samples"), row.at("again"),
                               row.at("instructions")});
    return baseline;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::schema, fmt::format("{}: not a file of parity bench --save: {}", name, error.what()));
  }
}

}  // namespace parity::benches
