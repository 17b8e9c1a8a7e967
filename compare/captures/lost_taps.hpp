// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Taps that a capture lacks without declaring it, and declarations that cannot be true.
#pragma once

#include <string>
#include <vector>

#include "replay/runs/recording.hpp"

namespace parity::compare {

/// Returns one line for each kind of lost taps, with the names of the first ones. A capture with the attribute
/// `capture` must have every tap of the golden that it does not list as not computed. In a file without this attribute,
/// a tap is lost if its layer has it in another call, or if another layer has it in this call and later taps of the
/// call are there: adapters capture the same taps in every layer and call. Only taps matched by `select` are checked.
[[nodiscard]] std::vector<std::string> lacks_of(const replay::Recording& golden, const replay::Recording& capture,
                                                const std::string& select);

}  // namespace parity::compare
