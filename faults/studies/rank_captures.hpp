// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Captures of several ranks that were damaged in one tap of one rank: the judge must name that rank.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "faults/studies/rank_study.hpp"

namespace parity::faults {

/// A capture of ranks with the golden of its calls.
struct RankCapture {
  std::filesystem::path file, golden;
};
/// Returns the captures in folders that are named as goldens of `data`: golden/ranks/m3-ranks-f32/tp-8.h5.
[[nodiscard]] std::vector<RankCapture> rank_captures(const std::filesystem::path& folder,
                                                     const std::filesystem::path& data);

/// Damages `count` drawn taps of drawn ranks, one at a time, and judges each capture. Adds the undamaged
/// captures to `clean`.
[[nodiscard]] std::vector<RankTrial> damage_rank_captures(const std::vector<RankCapture>& captures, int64_t count,
                                                          uint64_t seed, int threads, std::vector<CleanRun>& clean);

}  // namespace parity::faults
