// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/measure.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include <omp.h>
#include <unistd.h>

#include "benches/call.hpp"
#include "benches/peaks/peak_loops.hpp"
#include "benches/statistics.hpp"
#include "core/workspace.hpp"
#include "optimized/backends.hpp"
#include "optimized/registry.hpp"

namespace parity::benches {

namespace {

/// Times a task: by launches of one graph, where the place records it; else call by call.
class Clock {
 public:
  explicit Clock(const Timed& timed) : timed_(timed) {
    if (record()) return;
    timed.body();  // takes its scratch memory, which no graph can hold
    static_cast<void>(record());
  }

  double seconds() const { return recorded_ ? recorded_->seconds() : timed_.place->seconds(timed_.body); }

 private:
  /// Returns whether nothing stood in the way.
  bool record() {
    try {
      recorded_ = timed_.place->record(timed_.body);
      return true;
    } catch (const Error& error) {  // the place says so when it times the call
      if (error.code() != ErrorCode::unsupported) throw;
      return false;
    }
  }

  const Timed& timed_;
  std::unique_ptr<Recorded> recorded_;
};

}  // namespace

std::vector<std::vector<double>> interleaved(const std::vector<Timed>& all, int rounds, int best_of) {
  std::vector<std::vector<double>> samples(all.size());
  const std::vector<Clock> clocks(all.begin(), all.end());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < all.size(); ++i) {
      const size_t at = round % 2 == 0 ? i : all.size() - 1 - i;
      const int runs = all[at].best_of > 0 ? all[at].best_of : best_of;
      double best = 0.0;
      for (int repeat = 0; repeat < runs; ++repeat) {
        if (all[at].before) all[at].before();
        const double time = clocks[at].seconds();
        best = repeat == 0 ? time : std::min(best, time);
      }
      samples[at].push_back(best);
    }
  }
  return samples;
}

namespace {

constexpr double kProbeSeconds = 0.002;  // short, so that on a shared machine some probes run undisturbed

/// Returns the number of loop passes that take about kProbeSeconds.
int64_t steps_of(const PeakLoop& loop) {
  constexpr int64_t kSteps = 20'000;
  double best = 1.0;
  for (int i = 0; i < 10; ++i) best = std::min(best, host().seconds([&] { loop.run(kSteps); }));
  return std::max(kSteps, static_cast<int64_t>(kSteps * kProbeSeconds / best));
}

}  // namespace

/// A matrix product of LibTorch with its operands.
struct PeakProduct {
  Call call;
  std::optional<Prepared> prepared;

  PeakProduct(DType type, const ErasedKernel& kernel) {
    call.component = "linear";
    call.working = type;
    call.sizes = {{'B', 1}, {'S', 1024}, {'H', 1024}, {'F', 1024}};
    call.values("x", "B,S,H", 1);
    call.values("weight", "F,H", 1);
    call.output("out", "B,S,F");
    prepared.emplace(call, kernel);
    prepared->run();
  }
};

struct PeakMeter::Probes {
  struct Probe {
    double Peaks::*rate;
    double work;
    std::function<void()> body, before{};
  };
  std::vector<Probe> all;
  Peaks best;
  std::shared_ptr<std::byte[]> from = host().allocate(kBytes), to = host().allocate(kBytes);

  /// Size of the memory probes, beyond private caches. A shared cache may hold 128 MiB and answer the next pass; warm
  /// calls are compared with that rate. Cold rates use fewer bytes, because flushing takes longer than copying.
  static constexpr int64_t kBytes = int64_t{1} << 27, kColdBytes = int64_t{1} << 25;
  static constexpr int64_t kPiece = int64_t{1} << 21;

  void add_loop(double Peaks::*rate, const PeakLoop& loop) {
    const int64_t steps = steps_of(loop);
    all.push_back({rate, loop.flops_per_step * static_cast<double>(steps) * omp_get_max_threads(), [loop, steps] {
#pragma omp parallel
                     loop.run(steps);
                   }});
  }

  void add_product(double Peaks::*rate, DType type) {
    const KernelEntry* kernel =
        optimized::registry_with_libraries().find("linear", optimized::library_backend(), to_string(type));
    if (kernel == nullptr) return;
    const auto product = std::make_shared<PeakProduct>(type, kernel->run);
    all.push_back({rate, 2.0 * 1024 * 1024 * 1024, [product] { product->prepared->run(); }});
  }

  void add_copy(double Peaks::*rate, int64_t bytes, const std::function<void()>& before) {
    for (void (*copy)(std::byte*, const std::byte*, int64_t) : {&copy_plain, &copy_past_caches}) {
      all.push_back({rate, 2.0 * static_cast<double>(bytes),
                     [this, copy, bytes] {
#pragma omp parallel for schedule(static)
                       for (int64_t at = 0; at < bytes; at += kPiece) copy(to.get() + at, from.get() + at, kPiece);
                     },
                     before});
    }
  }

  void add_read(double Peaks::*rate, int64_t bytes, const std::function<void()>& before) {
    all.push_back({rate, static_cast<double>(bytes),
                   [this, bytes] {
                     int64_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
                     for (int64_t at = 0; at < bytes; at += kPiece) total += sum_of(from.get() + at, kPiece);
                     PARITY_CHECK(total != 0, internal, "nothing was read");
                   },
                   before});
  }

  void add_memory() {
    std::memset(from.get(), 1, kBytes);
    std::memset(to.get(), 1, kBytes);
    add_copy(&Peaks::copy, kBytes, {});
    add_read(&Peaks::read, kBytes, {});
    const auto flush = [this] {
      return host().flush({from.get(), size_t{kColdBytes}}) + host().flush({to.get(), size_t{kColdBytes}});
    };
    if (flush() == 0) return;  // this machine cannot flush its caches
    add_copy(&Peaks::cold_copy, kColdBytes, flush);
    add_read(&Peaks::cold_read, kColdBytes, flush);
  }
};

PeakMeter::PeakMeter() : probes_(std::make_unique<Probes>()) {
  probes_->best.cache = private_caches();
  probes_->add_loop(&Peaks::f32_loop, f32_peak_loop());
  probes_->add_loop(&Peaks::bf16_loop, bf16_peak_loop());
  probes_->add_product(&Peaks::f32_product, DType::f32);
  probes_->add_product(&Peaks::bf16_product, DType::bf16);
  probes_->add_memory();
}

PeakMeter::~PeakMeter() = default;

void PeakMeter::probe(int tries) {
  for (const Probes::Probe& probe : probes_->all) {
    double& best = probes_->best.*probe.rate;
    for (int i = 0; i < tries; ++i) {
      if (probe.before) probe.before();
      best = std::max(best, probe.work / host().seconds(probe.body));
    }
  }
}

Peaks PeakMeter::peaks() const { return with_best(probes_->best); }

Peaks measure_peaks() {
  PeakMeter meter;
  meter.probe(PeakMeter::kManyTries);
  return meter.peaks();
}

double private_caches() {
  constexpr double kUnknown = 8 << 20;  // size assumed where the system reports none
  const long each = sysconf(_SC_LEVEL2_CACHE_SIZE);
  std::set<std::string> caches;  // each cache, named by the CPUs that share it
  for (unsigned cpu = 0; cpu < std::thread::hardware_concurrency(); ++cpu) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/cache/index2/shared_cpu_list", cpu));
    std::string sharing;
    if (std::getline(file, sharing)) caches.insert(sharing);
  }
  if (each <= 0 || caches.empty()) return kUnknown;
  return static_cast<double>(each) * std::min(static_cast<double>(caches.size()), 1.0 * omp_get_max_threads());
}

}  // namespace parity::benches
