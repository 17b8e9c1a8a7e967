// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Times every registered kernel with Google Benchmark: component/case/type/backend/{warm,cold}, and pairs of backends
// in the order A-B-B-A. A wrong kernel gets no time.
#include <chrono>
#include <memory>

#include <benchmark/benchmark.h>

#include "benches/baseline.hpp"
#include "benches/chain.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/torch.hpp"

namespace parity::benches {
namespace {

/// Keeps the call of the current benchmark: operands are made at first use, and freed when another call is needed.
class Shelf {
 public:
  const Call& call(const BenchCase& bench, DType type) {
    const std::string name = bench.name(type);
    if (name != name_) call_ = std::make_unique<Call>(bench.make(type, seed_));
    name_ = name;
    return *call_;
  }
  [[nodiscard]] uint64_t seed() const { return seed_; }

 private:
  uint64_t seed_ = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) % 1'000'000;
  std::string name_;
  std::unique_ptr<Call> call_;
};

Shelf& shelf() {
  static Shelf instance;
  return instance;
}
/// Probes the machine after every benchmark; the highest rates so far are the peaks.
PeakMeter& meter() {
  static PeakMeter instance;
  return instance;
}

/// Returns whether the kernel is correct. If not, reports the reason in the row.
bool right(benchmark::State& state, const Call& call, const ErasedKernel& kernel) {
  const auto wrong = why_wrong(call, kernel, slices_of(call, shelf().seed()));
  if (wrong) state.SkipWithError(wrong->c_str());
  return !wrong;
}

/// Marks the row as failed if repeated calls give other bits than the judged call.
void hold(benchmark::State& state, const JudgedOutputs& judged, const Prepared& timed) {
  if (const auto changed = judged.why_changed(timed)) state.SkipWithError(changed->c_str());
}

void one(benchmark::State& state, const BenchCase& bench, DType type, const ErasedKernel& kernel, bool cold) {
  const Call& call = shelf().call(bench, type);
  if (!right(state, call, kernel)) return;
  const JudgedOutputs judged(call);
  const Prepared prepared(call, kernel);
  double total = 0.0;
  {
    const torch_backend::Delivery stay(false);
    for (auto _ : state) {
      if (cold) prepared.flush();
      const double seconds = host().seconds([&] { prepared.run(); });
      state.SetIterationTime(seconds);
      total += seconds;
    }
  }
  const Work work = bench.work(call);
  const double each = total / static_cast<double>(state.iterations());
  state.counters["flop/s"] = work.flops / each;
  state.counters["bytes/s"] = work.bytes() / each;
  meter().probe();
  const Share share = share_of(meter().peaks(), type, work, cold, each);
  state.counters["roofline"] = share.of_peak;
  if (share.of_loop > 0.0) state.counters["of_loop"] = share.of_loop;
  if (share.beyond()) state.SetLabel("! " + share.note());
  hold(state, judged, prepared);
}

/// Measures the time of A. The counter `ratio` is B's time over A's, with both taken in the order A-B-B-A.
void pair(benchmark::State& state, const BenchCase& bench, DType type, const ErasedKernel& a, const ErasedKernel& b) {
  const Call& call = shelf().call(bench, type);
  if (!right(state, call, a)) return;
  const JudgedOutputs of_first(call);
  if (!right(state, call, b)) return;
  const JudgedOutputs of_second(call);
  const Prepared first(call, a), second(call, b);
  double own = 0.0, other = 0.0;
  {
    const torch_backend::Delivery stay(false);
    for (auto _ : state) {
      const double begin = host().seconds([&] { first.run(); });
      other += host().seconds([&] { second.run(); });
      other += host().seconds([&] { second.run(); });
      const double end = host().seconds([&] { first.run(); });
      own += begin + end;
      state.SetIterationTime(0.5 * (begin + end));
    }
  }
  state.counters["ratio"] = other / own;
  hold(state, of_first, first);
  hold(state, of_second, second);
}

void add_case(const BenchCase& bench, DType type) {
  std::vector<std::pair<std::string, const ErasedKernel*>> kernels;
  for (const auto& [label, entry] : kernels_of(bench, type)) {
    if (entry->place(0).is_host_memory()) kernels.emplace_back(label, &entry->run);  // the clock is the host's
  }
  for (const auto& [backend, kernel] : kernels) {
    for (const bool cold : {false, true}) {
      const std::string name = bench.name(type) + "/" + backend + (cold ? "/cold" : "/warm");
      benchmark::RegisterBenchmark(name.c_str(), [&bench, type, run = kernel, cold](
                                                     benchmark::State& state) { one(state, bench, type, *run, cold); })
          ->UseManualTime()
          ->MinTime(0.1)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  for (size_t i = 1; i < kernels.size(); ++i) {
    const std::string name = bench.name(type) + "/" + kernels[0].first + ":" + kernels[i].first;
    benchmark::RegisterBenchmark(name.c_str(), [&bench, type, a = kernels[0].second, b = kernels[i].second](
                                                   benchmark::State& state) { pair(state, bench, type, *a, *b); })
        ->UseManualTime()
        ->MinTime(0.1)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace
}  // namespace parity::benches

int main(int argc, char** argv) {
  using namespace parity::benches;
  for (const BenchCase& bench : bench_cases()) {
    for (const parity::DType type : {parity::DType::f32, parity::DType::bf16}) add_case(bench, type);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const auto rate = [](double x) { return fmt::format("{:.1f}e9", x * 1e-9); };
  const BenchEnvironment here = BenchEnvironment::here({});
  meter().probe(PeakMeter::kManyTries);
  const Peaks peaks = meter().peaks();
  benchmark::AddCustomContext("parity_level", here.level);
  benchmark::AddCustomContext("parity_threads", std::to_string(here.threads));
  benchmark::AddCustomContext("peak_f32_flops", rate(peaks.f32));
  benchmark::AddCustomContext("peak_bf16_flops", rate(peaks.bf16));
  benchmark::AddCustomContext("peak_read_bytes", rate(peaks.read));
  benchmark::AddCustomContext("peak_copy_bytes", rate(peaks.copy));
  benchmark::AddCustomContext("seed", std::to_string(shelf().seed()));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
