// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the kernels took, kept in a file, and whether they take longer now.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "benches/cases.hpp"
#include "benches/measure.hpp"
#include "benches/statistics.hpp"

namespace parity::benches {

inline constexpr int64_t kFewestSamples = 5, kMostSamples = 100'000;  // an interval needs some

struct MeasureOptions {
  std::string select = "*";  // glob over names
  std::string backend = "*";
  int samples = 15;  // of each pass
  uint64_t seed = 1;
  bool cold = false;  // operands out of the caches
  bool instructions = false;
  std::string program{};  // ours, for callgrind
  std::function<void(const std::string&)> progress{};
};

/// What times depend on besides the kernels. Two files whose environments differ cannot be compared.
struct BenchEnvironment {
  std::string cpu, level, build, compiler;
  int64_t threads = 0;
  int64_t samples = 0;  // of each pass
  bool cold = false;    // operands out of the caches
  std::string torch{};  // LibTorch's version and the instructions that it may use; empty where none of it is timed

  [[nodiscard]] static BenchEnvironment here(const MeasureOptions& options);
  /// The first thing that differs: "level avx2 against avx512"; empty when nothing does. LibTorch only if both timed it:
  /// else no row depends on it.
  [[nodiscard]] std::string difference(const BenchEnvironment& other) const;
};

/// LibTorch's time over this kernel's, of the same case.
struct OverTorch {
  double ratio = 0.0;   // median over the rounds of both passes; 0: not timed beside LibTorch
  double spread = 0.0;  // of the rounds' ratios
};

struct Measurement {
  std::string name;                        // "rms_norm/tokens-512/bf16/cpu"
  std::string backend;                     // "cpu"
  std::string why{};                       // why there is no time: what the judge says
  std::vector<double> samples{}, again{};  // seconds, of two passes apart in time
  int64_t instructions = 0;                // of one call, by callgrind; 0: not counted
  DType type = DType::f32;
  Work work{};
  Share share{};  // by the peaks of the whole run
  OverTorch over_torch{};
  int64_t flushed = 0;  // cache lines before the calls, those of one pass; 0: warm

  /// Other programs, or the kernel itself, made its times vary more than can be read.
  [[nodiscard]] bool unsteady() const;
};
struct Baseline {
  BenchEnvironment environment;
  std::vector<Measurement> rows;
  Peaks peaks{};  // the best that the run has shown
};

/// Every kernel of the registry of which there is a case: judged on fresh operands, then timed twice.
[[nodiscard]] Baseline measure(const MeasureOptions& options);
/// The kernels of one call, one pass: all are judged, those that are right timed in turns there and back, then repeated,
/// which has to leave what the judge saw. Fills as many rows: samples, or why there are none.
void time_kernels(const Call& call, const std::vector<ErasedKernel>& kernels, const MeasureOptions& options,
                  std::vector<Measurement>& rows);
/// Every row beside LibTorch's of its case: "rms_norm/tokens-1/f32/torch". Both passes are there.
void relate_to_torch(std::vector<Measurement>& rows);

struct Compared {
  std::string name;
  Verdict times = Verdict::inconclusive;
  std::optional<Verdict> instructions{};
  double ratio = 0.0;  // new over old, medians
  std::string why{};   // why nothing was compared
  bool wrong = false;  // the kernel has no time because it is wrong
  bool gone = false;   // only the old measurements have the case

  /// Slower on either lane.
  [[nodiscard]] bool slower() const;
};
/// Error{unsupported} for environments that differ. Both passes have to say the same.
[[nodiscard]] std::vector<Compared> compare(const Baseline& old, const Baseline& now, const Rules& rules = {});
/// The rows that these options measure: what of them is gone was lost, the others were not asked for.
[[nodiscard]] Baseline asked_of(Baseline baseline, const MeasureOptions& options);

/// What the document of `parity bench --save` holds besides its frame (reports/document.hpp).
[[nodiscard]] nlohmann::ordered_json to_json(const Baseline& baseline);
[[nodiscard]] Baseline baseline_from_json(const std::string& text, const std::string& name);  // Error{schema}

/// Runs once what `name` stands for, under the function that callgrind counts; `calls` times, with `extra` added work.
void run_counted(const std::string& name, int64_t calls, double extra);
/// Instructions of each of `calls` calls; Error{device} without valgrind.
[[nodiscard]] std::vector<int64_t> counted_instructions(const std::string& program, const std::string& name,
                                                        int64_t calls, double extra = 0.0);

/// Shares of wrong and right verdicts.
struct Study {
  int64_t pairs = 0;  // of equal kernels
  int64_t alarms = 0, undecided = 0;
  int64_t slowed = 0;  // pairs with one slowed down
  int64_t found = 0, slowed_undecided = 0;

  /// What the gate promises: at most 1 % of equal kernels accused, at least `floor` of the slowed ones found.
  [[nodiscard]] bool keeps(double floor) const;
};
/// Shares of slowed kernels that have to be found by clock and by count.
inline constexpr double kFoundByClock = 0.90, kFoundByCount = 0.99;
/// Drawn times: lognormal noise of `noise` relative width with interruptions, by fixed seeds.
[[nodiscard]] Study simulated_study(int64_t pairs, double slowdown, double noise);
/// A kernel's own times on this machine, slowed down by waiting.
[[nodiscard]] Study measured_study(const std::string& name, int64_t pairs, double slowdown);
/// Counts of `calls` calls of one process, and of as many with added work.
[[nodiscard]] Study counted_study(const std::string& program, const std::string& name, int64_t pairs, double slowdown);

}  // namespace parity::benches
