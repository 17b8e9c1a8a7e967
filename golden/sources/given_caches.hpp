// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Steps whose caches calls outside of the recording filled (docs/golden-format.md, section 3).
#pragma once

#include <vector>

#include "golden/golden.hpp"

namespace parity::golden {

/// Whether the step gives the caches: of kind cache, without an edit of those before it.
[[nodiscard]] bool gives_caches(const StepInfo& step);
/// Returns the layers whose caches the step gives, in ascending order; empty for other steps.
[[nodiscard]] std::vector<int64_t> given_layers(const ActivationFile& file, const StepInfo& step);
/// Reads the sequences B and the slots K of given caches from their shapes. Throws Error{not_found} if there are none,
/// and Error{schema} if they disagree.
void read_given(const ActivationFile& file, StepInfo& step);

}  // namespace parity::golden
