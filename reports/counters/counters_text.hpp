// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a launch costs, for the terminal: totals, and the lines that cost the most.
#pragma once

#include <string>

#include "optimized/ptx/bound/bound.hpp"

namespace parity::reports {

/// Clocks of one SM that a cost keeps busy: the order of lines, not a time. Four instructions, 64 bytes of global or local
/// memory and one wavefront of shared memory take one each.
[[nodiscard]] double weight_of(const ptx::Cost& cost);

/// Returns a line for each kind of count that is not zero.
[[nodiscard]] std::string totals_text(const ptx::Cost& total);

/// Returns totals and the `most` heaviest lines, and with a GPU also the bound. `stated`: unique bytes of a sample, if
/// known.
[[nodiscard]] std::string counters_text(const ptx::Counters& counters, const ptx::Gpu* gpu = nullptr, size_t most = 20,
                                        const std::optional<ptx::UniqueBytes>& stated = {});

}  // namespace parity::reports
