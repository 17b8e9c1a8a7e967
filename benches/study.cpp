// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Measures how often the gate is wrong, on pairs of equal kernels and on pairs of which one is slowed down.
#include <chrono>
#include <cmath>

#include "benches/baseline.hpp"
#include "benches/chain.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "optimized/registry.hpp"

namespace parity::benches {
namespace {

constexpr int kSamples = 15;

/// The times of two passes; a verdict needs both to agree.
struct Passes {
  std::vector<double> first, again;
};

Verdict verdict_of(const Passes& a, const Passes& b) {
  return confirmed(compare_times(a.first, b.first), compare_times(a.again, b.again));
}

void note(Verdict verdict, bool slowed, Study& study) {
  if (slowed) {
    ++study.slowed;
    study.found += verdict == Verdict::slower ? 1 : 0;
    study.slowed_undecided += verdict == Verdict::inconclusive ? 1 : 0;
  } else {
    ++study.pairs;
    study.alarms += verdict == Verdict::slower || verdict == Verdict::faster ? 1 : 0;
    study.undecided += verdict == Verdict::inconclusive ? 1 : 0;
  }
}

std::vector<double> drawn(const Random& random, uint64_t& at, double factor, double noise) {
  constexpr double kInterrupted = 0.05;  // share of the samples that are interrupted and take up to twice as long
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) {
    double time = factor * std::exp(noise * random.normal(at++));
    if (random.uniform(at++) < kInterrupted) time *= 1.0 + random.uniform(at++);
    samples.push_back(time);
  }
  return samples;
}

void wait(double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until) {}
}

}  // namespace

bool Study::keeps(double floor) const {
  constexpr double kAlarms = 0.01;
  const auto share = [](int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); };
  return pairs > 0 && slowed > 0 && share(alarms, pairs) <= kAlarms && share(found, slowed) >= floor;
}

Study simulated_study(int64_t pairs, double slowdown, double noise) {
  const Random random(1, "study of the regression gate");
  uint64_t at = 0;
  Study study;
  for (int64_t i = 0; i < 2 * pairs; ++i) {
    const bool slowed = i >= pairs;
    const double factor = slowed ? 1.0 + slowdown : 1.0;
    const Passes a{drawn(random, at, 1.0, noise), drawn(random, at, 1.0, noise)};
    const Passes b{drawn(random, at, factor, noise), drawn(random, at, factor, noise)};
    note(verdict_of(a, b), slowed, study);
  }
  return study;
}

Study measured_study(const std::string& name, int64_t pairs, double slowdown) {
  for (const BenchCase& bench : bench_cases()) {
    for (const KernelEntry& entry : bench_registry().kernels()) {
      const auto type = parse_dtype(entry.variant);
      if (entry.component != bench.component || !type || bench.name(*type) + "/" + entry.backend != name) continue;
      const Call call = bench.make(*type, 1);
      const Prepared prepared(call, entry.run);
      const auto run = [&] { prepared.run(); };
      const double once = median(interleaved({{run}}, 20).front());
      const int best_of = std::clamp(static_cast<int>(0.002 / once), 1, 100);
      const auto passes = [&](double factor) {
        const auto slowed = [&] {
          const double own = host().seconds(run);
          if (factor > 1.0) wait((factor - 1.0) * own);
        };
        const auto pass = [&] { return interleaved({{slowed}}, kSamples, best_of).front(); };
        Passes result;
        result.first = pass();
        result.again = pass();
        return result;
      };
      Study study;
      for (int64_t i = 0; i < 2 * pairs; ++i) {
        const bool slowed = i % 2 == 1;
        const Passes a = passes(1.0), b = passes(slowed ? 1.0 + slowdown : 1.0);
        note(verdict_of(a, b), slowed, study);
      }
      return study;
    }
  }
  throw Error(ErrorCode::usage, fmt::format("case '{}' is not known; parity bench lists all", name));
}

Study counted_study(const std::string& program, const std::string& name, int64_t pairs, double slowdown) {
  const auto plain = counted_instructions(program, name, 2 * pairs);
  const double extra = slowdown * static_cast<double>(plain.front());
  // Measures the instructions of one pass of the added loop, which are three or four.
  constexpr double kProbe = 1000.0;
  const auto probe = counted_instructions(program, name, 1, kProbe);
  const double per_step = static_cast<double>(probe.front() - plain.front()) / kProbe;
  const auto slowed = counted_instructions(program, name, pairs, extra / per_step);
  Study study;
  for (int64_t i = 0; i < pairs; ++i) {
    const auto at = static_cast<size_t>(i);
    note(compare_counts(plain[2 * at], plain[2 * at + 1]), false, study);
    note(compare_counts(plain[at], slowed[at]), true, study);
  }
  return study;
}

}  // namespace parity::benches
