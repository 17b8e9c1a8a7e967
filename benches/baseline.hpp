// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Measures the times of kernels, keeps them in a file, and compares two such files.
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

inline constexpr int64_t kFewestSamples = 5, kMostSamples = 100'000;  // limits of MeasureOptions::samples

struct MeasureOptions {
  std::string select = "*";  // glob over the names of measurements
  std::string backend = "*";
  int samples = 15;  // number of samples in each of two passes
  uint64_t seed = 1;
  bool cold = false;  // flush the operands from the caches before every call
  bool instructions = false;
  std::string program{};  // path of the parity program, to be run under callgrind
  std::function<void(const std::string&)> progress{};
};

/// The conditions that affect times, apart from the kernels. Files of different environments cannot be compared.
struct BenchEnvironment {
  std::string cpu, level, build, compiler;
  int64_t threads = 0;
  int64_t samples = 0;  // number of samples in each of two passes
  bool cold = false;    // operands were flushed from the caches before every call
  std::string torch{};  // LibTorch's version and the instructions it may use; empty if it was not timed
  std::string gpu{};    // empty if none was timed

  [[nodiscard]] static BenchEnvironment here(const MeasureOptions& options);
  /// Returns the first difference, such as "level: 'avx2' and 'avx512'", or an empty string. LibTorch's versions, and
  /// GPUs, are compared only if both environments have one, because otherwise no compared row depends on it.
  [[nodiscard]] std::string difference(const BenchEnvironment& other) const;
};

/// The time of LibTorch's kernel divided by the time of this kernel, for one case.
struct OverTorch {
  double ratio = 0.0;   // median over the samples of both passes; 0: not timed beside LibTorch
  double spread = 0.0;  // spread of the samples' ratios
};

struct Measurement {
  std::string name;                        // "rms_norm/tokens-512/bf16/cpu"
  std::string backend;                     // "cpu"
  std::string why{};                       // why there is no time: the judge's message
  std::vector<double> samples{}, again{};  // seconds; `samples` of the first pass, `again` of the second
  int64_t instructions = 0;                // instructions of one call, counted by callgrind; 0: not counted
  DType type = DType::f32;
  Work work{};
  Share share{};  // share of the peaks that the run measured
  OverTorch over_torch{};
  int64_t flushed = 0;  // cache lines flushed before the calls of one pass; 0: warm
  bool on_host = true;  // else the peaks of this machine are not those of the kernel's

  /// Whether the times of a pass vary too much to be compared, because of other programs or of the kernel itself.
  [[nodiscard]] bool unsteady() const;
};
struct Baseline {
  BenchEnvironment environment;
  std::vector<Measurement> rows;
  Peaks peaks{};  // the highest rates that the run measured
};

/// Judges every selected kernel that has a case on fresh operands, and times it in two passes.
[[nodiscard]] Baseline measure(const MeasureOptions& options);

struct TimedKernel {
  ErasedKernel run;
  Place* place;

  TimedKernel(ErasedKernel kernel, Place& at = host()) : run(std::move(kernel)), place(&at) {}  // NOLINT: as a kernel
};
/// Judges the kernels of one call, whose operands are in the host's memory, each at its place, and times those that are
/// correct in turns, forwards and backwards. Then it repeats the calls and compares the output bits with those that were
/// judged. Sets `samples` or `why` of each row.
void time_kernels(const Call& call, const std::vector<TimedKernel>& kernels, const MeasureOptions& options,
                  std::vector<Measurement>& rows);
/// Sets `over_torch` of each row whose case has a row of LibTorch, such as "rms_norm/tokens-1/f32/torch".
void relate_to_torch(std::vector<Measurement>& rows);

struct Compared {
  std::string name;
  Verdict times = Verdict::inconclusive;
  std::optional<Verdict> instructions{};
  double ratio = 0.0;  // median of the new times over the median of the old times
  std::string why{};   // why nothing was compared
  bool wrong = false;  // the kernel has no time because it is wrong
  bool gone = false;   // only the old file has this row

  /// Whether the kernel is slower by time or by the number of instructions.
  [[nodiscard]] bool slower() const;
};
/// Compares two files. A verdict needs both passes to agree. Throws Error{unsupported} for different environments.
[[nodiscard]] std::vector<Compared> compare(const Baseline& old, const Baseline& now, const Rules& rules = {});
/// Returns the rows that `options` select. Only a selected row can be reported as gone.
[[nodiscard]] Baseline asked_of(Baseline baseline, const MeasureOptions& options);

/// Returns the document of `parity bench --save` without its frame (reports/document.hpp).
[[nodiscard]] nlohmann::ordered_json to_json(const Baseline& baseline);
[[nodiscard]] Baseline baseline_from_json(const std::string& text, const std::string& name);  // Error{schema}

/// Runs the case `name` in the function that callgrind counts: `calls` times, each with `extra` passes of a loop.
void run_counted(const std::string& name, int64_t calls, double extra);
/// Returns the instructions of each of `calls` calls. Throws Error{device} if valgrind is missing.
[[nodiscard]] std::vector<int64_t> counted_instructions(const std::string& program, const std::string& name,
                                                        int64_t calls, double extra = 0.0);

/// Counts of right and wrong verdicts of the regression gate.
struct Study {
  int64_t pairs = 0;  // pairs of equal kernels
  int64_t alarms = 0, undecided = 0;
  int64_t slowed = 0;  // pairs of which one kernel is slowed down
  int64_t found = 0, slowed_undecided = 0;

  /// Whether at most 1 % of the equal pairs were accused and at least the share `floor` of the slowed ones was found.
  [[nodiscard]] bool keeps(double floor) const;
};
/// Shares of slowed pairs that must be found by times and by counts of instructions.
inline constexpr double kFoundByClock = 0.90, kFoundByCount = 0.99;
/// Judges drawn times: lognormal noise of relative width `noise`, with interruptions, from a fixed seed.
[[nodiscard]] Study simulated_study(int64_t pairs, double slowdown, double noise);
/// Judges times of one kernel on this machine, which is slowed down by waiting.
[[nodiscard]] Study measured_study(const std::string& name, int64_t pairs, double slowdown);
/// Judges counted instructions of calls, with and without an added loop.
[[nodiscard]] Study counted_study(const std::string& program, const std::string& name, int64_t pairs, double slowdown);

}  // namespace parity::benches
