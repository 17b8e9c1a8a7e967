// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Times of this machine: medians of interleaved runs, and what it can do at most.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benches/roofline.hpp"
#include "core/place.hpp"

namespace parity::benches {

/// Something to time: once as it is, or with its operands out of the caches (`before` is not timed).
struct Timed {
  std::function<void()> body;
  std::function<void()> before{};
  int best_of = 0;               // runs of a sample; 0: as many as all
  const Place* place = &host();  // whose clock counts
};
/// `rounds` samples of each, taken in turns there and back (A-B-B-A), so that what drifts meets all alike. Each sample is
/// the fastest of `best_of` runs: another program's work only ever adds.
[[nodiscard]] std::vector<std::vector<double>> interleaved(const std::vector<Timed>& all, int rounds, int best_of = 1);

/// Measures what the machine can do, again and again between what is timed: other programs and clocks come and go, and the
/// best that the run has shown is the peak.
class PeakMeter {
 public:
  PeakMeter();
  ~PeakMeter();
  PeakMeter(const PeakMeter&) = delete;
  PeakMeter& operator=(const PeakMeter&) = delete;

  static constexpr int kManyTries = 25;  // at the start and the end of a run
  /// Tens of milliseconds, for each try.
  void probe(int tries = 2);
  [[nodiscard]] Peaks peaks() const;

 private:
  struct Probes;
  std::unique_ptr<Probes> probes_;
};
/// Of this moment alone.
[[nodiscard]] Peaks measure_peaks();
/// Bytes of the second level's caches, those of the cores that the threads may use.
[[nodiscard]] double private_caches();

}  // namespace parity::benches
