// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes taps as a capture: what `--candidate capture:FILE` judges.
#pragma once

#include <filesystem>

#include "golden/golden.hpp"
#include "replay/tap_source.hpp"

namespace parity::replay {

/// The golden's attributes and inputs, and of the taps that it records those that `taps` has. The file has its name once it
/// is whole; one that was there is exchanged.
void write_capture(const golden::Golden& golden, const TapSource& taps, const std::filesystem::path& file);

}  // namespace parity::replay
