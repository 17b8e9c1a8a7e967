// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include <omp.h>
#include <unistd.h>

#include "benches/call.hpp"
#include "benches/peak_loops.hpp"
#include "benches/statistics.hpp"
#include "core/tensor.hpp"
#include "optimized/registry.hpp"

namespace parity::benches {

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::vector<double>> interleaved(const std::vector<Timed>& all, int rounds, int best_of) {
  std::vector<std::vector<double>> samples(all.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < all.size(); ++i) {
      const size_t at = round % 2 == 0 ? i : all.size() - 1 - i;
      double best = 0.0;
      for (int repeat = 0; repeat < best_of; ++repeat) {
        if (all[at].before) all[at].before();
        const double time = seconds_of(all[at].body);
        best = repeat == 0 ? time : std::min(best, time);
      }
      samples[at].push_back(best);
    }
  }
  return samples;
}

namespace {

/// The best of a few: a peak is what can be reached.
double best_rate(double work, const std::function<void()>& body) {
  constexpr int kTries = 25;  // short ones: on a machine that others use too, some meet it alone
  double best = 0.0;
  for (int i = 0; i < kTries; ++i) best = std::max(best, work / seconds_of(body));
  return best;
}

double loop_rate(const PeakLoop& loop) {
  constexpr int64_t kSteps = 1'000'000;
  const double work = loop.flops_per_step * static_cast<double>(kSteps) * omp_get_max_threads();
  return best_rate(work, [&] {
#pragma omp parallel
    loop.run(kSteps);
  });
}

double product_rate(DType type) {
  const KernelEntry* kernel = optimized::registry_with_libraries().find("linear", "torch", to_string(type));
  if (kernel == nullptr) return 0.0;
  Call call;
  call.component = "linear";
  call.working = type;
  call.sizes = {{'B', 1}, {'S', 1024}, {'H', 1024}, {'F', 1024}};
  call.values("x", "B,S,H", 1);
  call.values("weight", "F,H", 1);
  call.output("out", "B,S,F");
  const Prepared prepared(call, kernel->run);
  prepared.run();
  return best_rate(2.0 * 1024 * 1024 * 1024, [&] { prepared.run(); });
}

}  // namespace

Peaks measure_peaks() {
  Peaks peaks;
  peaks.cache = private_caches();
  peaks.f32_loop = loop_rate(f32_peak_loop());
  peaks.bf16_loop = loop_rate(bf16_peak_loop());
  peaks.f32_product = product_rate(DType::f32);
  peaks.bf16_product = product_rate(DType::bf16);
  peaks.f32 = std::max(peaks.f32_loop, peaks.f32_product);
  // Numbers of 16 bits can be widened: what binary32 reaches is in reach, too.
  peaks.bf16 = std::max({peaks.bf16_loop, peaks.bf16_product, peaks.f32_loop});
  constexpr int64_t kBytes = int64_t{1} << 27;  // far beyond a core's own caches
  const Tensor from = Tensor::unwritten(DType::u8, {kBytes}), to = Tensor::unwritten(DType::u8, {kBytes});
  constexpr int64_t kPiece = int64_t{1} << 21;
  const auto copy = [&] {
#pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < kBytes; at += kPiece) std::memcpy(to.view().data + at, from.view().data + at, kPiece);
  };
  std::memset(from.view().data, 1, kBytes);
  copy();
  peaks.copy = best_rate(2.0 * kBytes, copy);
  peaks.read = best_rate(kBytes, [&] {
    int64_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (int64_t at = 0; at < kBytes; at += kPiece) total += sum_of(from.view().data + at, kPiece);
    PARITY_CHECK(total != 0, internal, "nothing was read");
  });
  return peaks;
}

double private_caches() {
  constexpr double kUnknown = 8 << 20;  // of the systems that do not tell
  const long each = sysconf(_SC_LEVEL2_CACHE_SIZE);
  std::set<std::string> caches;  // as the CPUs that share one name it
  for (unsigned cpu = 0; cpu < std::thread::hardware_concurrency(); ++cpu) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/cache/index2/shared_cpu_list", cpu));
    std::string sharing;
    if (std::getline(file, sharing)) caches.insert(sharing);
  }
  if (each <= 0 || caches.empty()) return kUnknown;
  return static_cast<double>(each) * std::min(static_cast<double>(caches.size()), 1.0 * omp_get_max_threads());
}

}  // namespace parity::benches
