// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a capture lacks without saying so, and what it says that cannot be.
#pragma once

#include <string>
#include <vector>

#include "replay/recording.hpp"

namespace parity::compare {

/// One line each, with the names of the first taps. A declared capture must hold every tap of the golden that it does not
/// declare absent. Of another file is said what it must have had, for adapters capture what an engine names in every layer
/// and call: a tap that this layer has in another call, or another layer in this call, unless the call's capture ends
/// before it. `select`: the taps that are asked about.
[[nodiscard]] std::vector<std::string> lacks_of(const replay::Recording& golden, const replay::Recording& capture,
                                                const std::string& select);

/// "steps/*/text/layers/*/out": the same tap of every call and layer.
[[nodiscard]] std::string tap_of_every_place(const std::string& tap);

}  // namespace parity::compare
