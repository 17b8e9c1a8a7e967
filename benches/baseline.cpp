// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include <nlohmann/json.hpp>
#include <omp.h>

#include "benches/chain.hpp"
#include "benches/counters/counters.hpp"
#include "core/environment.hpp"
#include "core/text.hpp"
#include "golden/files/strict_json.hpp"
#include "optimized/backends.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/torch.hpp"
#include "reports/document.hpp"

namespace parity::benches {
namespace {

using Json = nlohmann::ordered_json;

/// Target time of one sample in seconds. A sample is the fastest of the calls that fit into this time.
constexpr double kSampleSeconds = 0.01;

/// The selected kernels of a case. Times of the PTX machine say nothing of a kernel: they are taken if asked for by name.
std::vector<CaseKernel> selected(const BenchCase& bench, DType type, const MeasureOptions& options) {
  std::vector<CaseKernel> kernels = kernels_of(bench, type);
  std::erase_if(kernels, [&](const CaseKernel& kernel) {
    const std::string& backend = kernel.entry->backend;
    const bool asked = backend == kCountedBackend ? options.backend == backend : glob_match(options.backend, backend);
    return !asked || !glob_match(options.select, bench.name(type) + "/" + kernel.label);
  });
  return kernels;
}

void measure_case(const BenchCase& bench, DType type, const MeasureOptions& options, PeakMeter& meter,
                  std::vector<Measurement>& rows) {
  std::vector<Measurement> found;
  std::vector<TimedKernel> kernels;
  for (const auto& [label, entry] : selected(bench, type, options)) {
    found.push_back({bench.name(type) + "/" + label, entry->backend});
    kernels.emplace_back(entry->run, entry->place(0));
  }
  if (found.empty()) return;
  if (options.progress) {
    for (const Measurement& row : found) options.progress(row.name);
  }
  const Call call = bench.make(type, options.seed);
  for (Measurement& row : found) {
    row.type = type;
    row.work = bench.work(call);
  }
  time_kernels(call, kernels, options, found);
  for (Measurement& row : found) {
    if (!options.instructions || !row.why.empty()) continue;
    const auto counts = counted_instructions(options.program, row.name, 3);
    row.instructions = counts[counts.size() / 2];
  }
  std::move(found.begin(), found.end(), std::back_inserter(rows));
  meter.probe();
}

bool any_selected(const MeasureOptions& options) {
  for (const BenchCase& bench : bench_cases()) {
    for (const DType type : {DType::f32, DType::bf16}) {
      if (!selected(bench, type, options).empty()) return true;
    }
  }
  return false;
}

/// A kernel that was judged correct, with a copy of its outputs; the kernels of a place share their output buffers.
struct Contender {
  Measurement& row;
  Call call;  // at the place of the kernel
  JudgedOutputs judged;
  Prepared prepared;

  Contender(Call its_call, const ErasedKernel& kernel, Measurement& its_row)
      : row(its_row), call(std::move(its_call)), judged(call), prepared(call, kernel) {
    prepared.run();  // takes scratch memory, which a timed call is to find
  }
};

std::vector<Timed> timed_of(const std::vector<std::unique_ptr<Contender>>& contenders, bool cold) {
  std::vector<Timed> timed;
  for (const auto& each : contenders) {
    Contender& one = *each;
    timed.push_back(one.prepared.timed());
    if (cold) timed.back().before = [&one] { one.row.flushed += one.prepared.flush(); };
  }
  return timed;
}

/// Returns the version of LibTorch and the environment variables that limit which instructions it uses.
std::string torch_here() {
  const auto allowed = [](const char* name) {
    const char* value = std::getenv(name);
    return fmt::format(", {} {}", name, value == nullptr ? "not set" : value);
  };
  return torch_backend::description() + allowed("ONEDNN_MAX_CPU_ISA") + allowed("MKL_ENABLE_INSTRUCTIONS");
}

}  // namespace

void time_kernels(const Call& call, const std::vector<TimedKernel>& kernels, const MeasureOptions& options,
                  std::vector<Measurement>& rows) {
  std::vector<std::unique_ptr<Contender>> contenders;
  const std::vector<Slice> slices = slices_of(call, options.seed);
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto& [run, place] = kernels[i];
    Call placed = call.at(*place);
    if (const auto wrong = why_wrong(placed, run, slices)) {
      rows[i].why = *wrong;
    } else {
      contenders.push_back(std::make_unique<Contender>(std::move(placed), run, rows[i]));
    }
    rows[i].on_host = place->is_host_memory();
  }
  std::vector<Timed> timed = timed_of(contenders, options.cold);
  {
    const torch_backend::Delivery stay(false);
    const auto once = interleaved(timed, 3);
    for (size_t i = 0; i < timed.size(); ++i)
      timed[i].best_of = std::clamp(static_cast<int>(kSampleSeconds / std::max(once[i].back(), 1e-7)), 1, 200);
    const auto samples = interleaved(timed, options.samples);
    for (size_t i = 0; i < timed.size(); ++i) contenders[i]->row.samples = samples[i];
  }
  for (const auto& each : contenders) {
    if (const auto changed = each->judged.why_changed(each->prepared)) {
      each->row.why = *changed;
      each->row.samples.clear();
    }
  }
}

bool Measurement::unsteady() const {
  const auto varies = [](const std::vector<double>& times) { return !times.empty() && spread(times) > kUnsteady; };
  return varies(samples) || varies(again);
}

void relate_to_torch(std::vector<Measurement>& rows) {
  std::map<std::string, const Measurement*> torch;  // LibTorch's row, by case
  const auto case_of = [](const Measurement& row) { return row.name.substr(0, row.name.rfind('/')); };
  for (const Measurement& row : rows) {
    if (row.name.ends_with("/torch")) torch[case_of(row)] = &row;
  }
  for (Measurement& row : rows) {
    const auto found = torch.find(case_of(row));
    if (found == torch.end() || row.samples.empty() || found->second->samples.empty()) continue;
    std::vector<double> all = ratios(found->second->samples, row.samples);
    const std::vector<double> second = ratios(found->second->again, row.again);
    all.insert(all.end(), second.begin(), second.end());
    row.over_torch = {median(all), spread(all)};
  }
}

BenchEnvironment BenchEnvironment::here(const MeasureOptions& options) {
  const Environment environment = capture_environment();
  return {environment.cpu,
          optimized::find_backend(optimized::own_backend())->version(),
          environment.build_type,
          environment.compiler,
          omp_get_max_threads(),
          options.samples,
          options.cold};
}

std::string BenchEnvironment::difference(const BenchEnvironment& other) const {
  const auto differ = [](const char* what, const auto& a, const auto& b) {
    return a == b ? std::string() : fmt::format("{}: '{}' and '{}'", what, a, b);
  };
  const auto caches = [](bool out) { return std::string(out ? "cold" : "warm"); };
  for (const std::string& text :
       {differ("cpu", cpu, other.cpu), differ("level", level, other.level), differ("threads", threads, other.threads),
        differ("build", build, other.build), differ("compiler", compiler, other.compiler),
        differ("samples", samples, other.samples), differ("caches", caches(cold), caches(other.cold)),
        torch.empty() || other.torch.empty() ? std::string() : differ("LibTorch", torch, other.torch),
        gpu.empty() || other.gpu.empty() ? std::string() : differ("GPU", gpu, other.gpu)}) {
    if (!text.empty()) return text;
  }
  return {};
}

Baseline measure(const MeasureOptions& options) {
  Baseline baseline{BenchEnvironment::here(options), {}};
  if (!any_selected(options)) return baseline;  // measuring the peaks would take most of a minute
  PeakMeter meter;
  meter.probe(PeakMeter::kManyTries);
  std::vector<Measurement> again;
  for (const bool second : {false, true}) {  // two passes: a slow period affects one of them
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
    if (!row.why.empty()) row.samples.clear();  // a kernel that was wrong in one pass has no time
    if (!row.samples.empty() && row.on_host)
      row.share = share_of(baseline.peaks, row.type, row.work, options.cold, median(row.samples));
    if (row.backend == optimized::library_backend() && baseline.environment.torch.empty())
      baseline.environment.torch = torch_here();
    if (!row.on_host) baseline.environment.gpu = optimized::find_backend(row.backend)->version();
  }
  relate_to_torch(baseline.rows);
  return baseline;
}

bool Compared::slower() const { return times == Verdict::slower || (instructions && *instructions == Verdict::slower); }

std::vector<Compared> compare(const Baseline& old, const Baseline& now, const Rules& rules) {
  const std::string difference = old.environment.difference(now.environment);
  PARITY_CHECK(difference.empty(), unsupported,
               "the two files were measured in different environments ({}); measure a baseline on this machine",
               difference);
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
    gone.why = "no longer measured";
    gone.gone = true;
    result.push_back(std::move(gone));
  }
  return result;
}

Baseline asked_of(Baseline baseline, const MeasureOptions& options) {
  std::erase_if(baseline.rows, [&](const Measurement& row) {
    return !glob_match(options.select, row.name) || !glob_match(options.backend, row.backend);
  });
  return baseline;
}

Json json_of(const Peaks& peaks) {
  return {{"f32", peaks.f32},
          {"bf16", peaks.bf16},
          {"copy", peaks.copy},
          {"read", peaks.read},
          {"cache", peaks.cache},
          {"f32_loop", peaks.f32_loop},
          {"bf16_loop", peaks.bf16_loop},
          {"f32_product", peaks.f32_product},
          {"bf16_product", peaks.bf16_product},
          {"cold_copy", peaks.cold_copy},
          {"cold_read", peaks.cold_read}};
}

Json to_json(const Baseline& baseline) {
  const BenchEnvironment& e = baseline.environment;
  Json document{{"measured",
                 {{"cpu", e.cpu},
                  {"level", e.level},
                  {"build", e.build},
                  {"compiler", e.compiler},
                  {"threads", e.threads},
                  {"samples", e.samples},
                  {"cold", e.cold},
                  {"torch", e.torch},
                  {"gpu", e.gpu}}},
                {"peaks", json_of(baseline.peaks)},
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
                                {"share_of_loop", row.share.of_loop},
                                {"over_torch", row.over_torch.ratio},
                                {"over_torch_spread", row.over_torch.spread},
                                {"unsteady", row.unsteady()}});
  return document;
}

namespace {

/// Refuses a file of an older version, whose environment does not say how the times were measured.
void refuse_old(const Json& environment, const std::string& name) {
  for (const char* field : {"samples", "cold", "torch"})
    PARITY_CHECK(environment.contains(field), schema,
                 "{}: the field environment.{} is missing, as in files of older versions of parity; measure again with "
                 "parity bench --save",
                 name, field);
}

void check_environment(const BenchEnvironment& environment, const std::string& name) {
  PARITY_CHECK(environment.samples >= kFewestSamples, schema,
               "{}: {} samples per pass are too few; measure again with parity bench --save", name,
               environment.samples);
}

/// Checks that a row has the number of samples that the environment states, or a reason why it has none.
void check_row(const Measurement& row, const BenchEnvironment& environment, const std::string& name) {
  PARITY_CHECK(row.instructions >= 0, schema,
               "{}: case {} has {} instructions, which is impossible; measure again with parity bench --save", name,
               row.name, row.instructions);
  if (!row.why.empty()) return;
  for (const auto* samples : {&row.samples, &row.again}) {
    PARITY_CHECK(std::ssize(*samples) == environment.samples, schema,
                 "{}: case {} has {} samples instead of {}; measure again with parity bench --save", name, row.name,
                 samples->size(), environment.samples);
    for (const double time : *samples)
      PARITY_CHECK(std::isfinite(time) && time > 0.0, schema,
                   "{}: case {} has a sample of {} s, which is impossible; measure again with parity bench --save",
                   name, row.name, time);
  }
}

}  // namespace

Baseline baseline_from_json(const std::string& text, const std::string& name) {
  try {
    const Json document = with_context(name, [&] { return golden::parse_json(text); });
    const std::string version = document.at("schema_version");
    PARITY_CHECK(
        version == reports::kStudyVersion, schema,
        "{}: schema_version is '{}', but this version of parity reads '{}'; measure again with parity bench --save",
        name, version, reports::kStudyVersion);
    const Json& e = document.at("measured");
    refuse_old(e, name);
    Baseline baseline{{e.at("cpu"), e.at("level"), e.at("build"), e.at("compiler"), e.at("threads"), e.at("samples"),
                       e.at("cold"), e.at("torch"), e.value("gpu", "")},
                      {}};
    check_environment(baseline.environment, name);
    std::set<std::string> names;
    for (const Json& row : document.at("rows")) {
      baseline.rows.push_back({row.at("name"), row.at("backend"), row.at("why"), row.at("samples"), row.at("again"),
                               row.at("instructions")});
      check_row(baseline.rows.back(), baseline.environment, name);
      PARITY_CHECK(names.insert(baseline.rows.back().name).second, schema,
                   "{}: case {} is listed twice; measure again with parity bench --save", name,
                   baseline.rows.back().name);
    }
    return baseline;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::schema, fmt::format("{}: not a file of parity bench --save: {}", name, error.what()));
  }
}

}  // namespace parity::benches
