// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Times tasks on this machine in turns, and measures the peak rates of the machine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benches/peaks/roofline.hpp"
#include "core/place.hpp"

namespace parity::benches {

/// A task to time. `before` runs before each call of `body`, is not timed, and may flush the operands from the caches.
struct Timed {
  std::function<void()> body;
  std::function<void()> before{};
  int best_of = 0;         // calls in a sample; 0: the argument of interleaved()
  Place* place = &host();  // the place whose clock is used
};
/// Returns `rounds` samples of each task. The tasks run in turns, forwards and backwards (A-B-B-A), so that drift
/// affects all alike. Where the place records work, a task is recorded once and its graph launched for each sample, so its
/// operands must stay where they are. A sample is the fastest of `best_of` calls, because other programs can only add time.
[[nodiscard]] std::vector<std::vector<double>> interleaved(const std::vector<Timed>& all, int rounds, int best_of = 1);

/// Measures the peak rates of the machine repeatedly between the timed calls. Other programs and clock rates vary, so
/// the highest rate of the whole run is the peak.
class PeakMeter {
 public:
  PeakMeter();
  ~PeakMeter();
  PeakMeter(const PeakMeter&) = delete;
  PeakMeter& operator=(const PeakMeter&) = delete;

  static constexpr int kManyTries = 25;  // tries at the start and the end of a run
  /// Runs each probe `tries` times; each try takes tens of milliseconds in all.
  void probe(int tries = 2);
  [[nodiscard]] Peaks peaks() const;

 private:
  struct Probes;
  std::unique_ptr<Probes> probes_;
};
/// Returns the peaks from one series of probes.
[[nodiscard]] Peaks measure_peaks();
/// Returns the bytes of the second-level caches of the cores that the threads may use.
[[nodiscard]] double private_caches();

}  // namespace parity::benches
