// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Second names of a tap that are stored as separate datasets, and stale copies: equal bytes where they must differ.
#pragma once

#include "compare/record.hpp"
#include "replay/recording.hpp"

namespace parity::compare {

/// Adds a record for every alias (layers/NN/in) of the recording that is not a hard link; it must repeat its tap, as
/// `judged` has it, bit for bit.
void check_aliases(const replay::Recording& recording, const replay::TapSource& judged, const std::string& select,
                   GoldenReport& report);

/// Records of taps that are byte-equal to the same tap of another layer become mistrusted; those that fail, and are
/// byte-equal to the same tap of another call or layer, say so.
void check_stale_copies(const replay::TapSource& judged, GoldenReport& report);

}  // namespace parity::compare
