// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The taps of a capture of several ranks, as one process has them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "golden/files/activation_file.hpp"

namespace parity::replay {

/// Writes each tap of which the ranks together hold all elements to a file, and all datasets that belong to no rank.
/// `sharded` is the plan of the capture's layout. Returns the taps of which two ranks hold the same part with different
/// bits; the file has that of the lower rank.
[[nodiscard]] std::vector<std::string> write_unsharded(const golden::ActivationFile& ranks, const Plan& sharded,
                                                       const std::filesystem::path& file);

}  // namespace parity::replay
