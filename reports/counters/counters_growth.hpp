// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Whether a kernel costs more than it did: a gate that needs no GPU, as counts do not vary.
#pragma once

#include <string>
#include <vector>

#include "optimized/ptx/counting/counters.hpp"

namespace parity::reports {

inline constexpr double kMostGrowth = 0.01;  // share by which a counter may grow: what compilers change by the way

/// A counter that has grown, and the line that has the most of it.
struct Growth {
  std::string counter;  // "load sectors"
  uint64_t before = 0, after = 0;
  std::string line;  // "norm.cu:12"; empty where the counter is of no line
  uint64_t line_before = 0, line_after = 0;
};

/// Throws Error{usage} if kernels or sampled blocks differ: their counts cannot be compared. Grids may differ if all
/// blocks ran.
[[nodiscard]] std::vector<Growth> grown(const ptx::Counters& before, const ptx::Counters& after,
                                        double most = kMostGrowth);
/// "load sectors grew from 512 to 4096; most of it at norm.cu:12, from 512 to 4096".
[[nodiscard]] std::string describe(const Growth& growth);
/// Where an instruction stands: in the source, if that is known.
[[nodiscard]] std::string place_of(const ptx::LineCost& line);

}  // namespace parity::reports
