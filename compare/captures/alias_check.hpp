// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Two checks on equal bytes: a second name of a tap must repeat its bytes, and taps of two layers must not be equal.
#pragma once

#include "compare/judging/record.hpp"
#include "replay/runs/recording.hpp"

namespace parity::compare {

/// Adds a record for every alias (layers/NN/in) of the recording that is stored as a separate dataset. The alias must
/// equal its tap in `judged` bit for bit.
void check_aliases(const replay::Recording& recording, const replay::TapSource& judged, const std::string& select,
                   GoldenReport& report);

/// Marks records as mistrusted whose tap is byte-equal to the tap of the same name in another layer. A failing record
/// whose tap is byte-equal to that of another call or layer gets a note.
void check_stale_copies(const replay::TapSource& judged, GoldenReport& report);

}  // namespace parity::compare
