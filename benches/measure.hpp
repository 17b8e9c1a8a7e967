// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Times of this machine: medians of interleaved runs, and what it can do at most.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benches/roofline.hpp"

namespace parity::benches {

[[nodiscard]] double seconds_of(const std::function<void()>& body);

/// Something to time: once as it is, or with its operands out of the caches (`before` is not timed).
struct Timed {
  std::function<void()> body;
  std::function<void()> before{};
};
/// `rounds` samples of each, taken in turns there and back (A-B-B-A), so that what drifts meets all alike. Each sample is
/// the fastest of `best_of` runs: another program's work only ever adds.
[[nodiscard]] std::vector<std::vector<double>> interleaved(const std::vector<Timed>& all, int rounds, int best_of = 1);

[[nodiscard]] Peaks measure_peaks();
/// Bytes of the second level's caches, those of the cores that the threads may use.
[[nodiscard]] double private_caches();

}  // namespace parity::benches
