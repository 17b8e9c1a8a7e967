// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where the source of a judged kernel is, for renderings that point at it.
#pragma once

#include <string>
#include <vector>

#include "reports/text/sarif.hpp"

namespace parity::cli {

/// Returns how sources are found: first `given` ("rms_norm=src/norm.cu"), then the file of a kernel outside the tree
/// ("cu:norm.cu"), then optimized/<backend>/<topic>/<component>.{cu,cpp} below the current folder. Error{usage} for an
/// entry of `given` without a "=".
[[nodiscard]] reports::SourceOf sources(const std::vector<std::string>& given);

}  // namespace parity::cli
