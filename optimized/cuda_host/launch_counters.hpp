// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Asks the PTX machine to count what launches cost.
#pragma once

#include <vector>

#include "optimized/cuda/launch.hpp"
#include "optimized/ptx/counting/counters.hpp"
#include "optimized/ptx/counting/sample.hpp"

namespace parity::optimized::cuda {

struct CountedLaunch {
  Launch what;
  ptx::Counters counters;
};

/// While it lives, launches of its thread are counted, at every place of the PTX machine. Launches of other threads are
/// not counted. If a thread has several, the newest one counts.
class LaunchCounters {
 public:
  /// With a sample, only some blocks run: the outputs are incomplete.
  explicit LaunchCounters(const ptx::Sample& sample = {});
  ~LaunchCounters();
  LaunchCounters(const LaunchCounters&) = delete;
  LaunchCounters& operator=(const LaunchCounters&) = delete;

  /// The counters of this thread, or null.
  [[nodiscard]] static LaunchCounters* active();

  [[nodiscard]] const ptx::Sample& sample() const { return sample_; }
  void add(CountedLaunch launch) { launches_.push_back(std::move(launch)); }
  /// The counted launches, in the order of their execution.
  [[nodiscard]] const std::vector<CountedLaunch>& launches() const { return launches_; }

 private:
  ptx::Sample sample_;
  std::vector<CountedLaunch> launches_;
  LaunchCounters* outer_;
};

}  // namespace parity::optimized::cuda
