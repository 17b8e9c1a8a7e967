// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reads what one rank holds of a recorded tap, without the rest of a long cache.
#pragma once

#include <string>

#include "core/plan.hpp"
#include "golden/files/activation_file.hpp"

namespace parity::replay {

/// Returns the part of `dataset` that the tap `own` holds, in the shape and axes of `own`. The dataset has the shape of
/// the whole tap. Only the smallest block that holds the part is read, unless an axis of the dataset stands for several
/// ("AD"): then all of it.
[[nodiscard]] Tensor read_stored_part(const golden::ActivationFile& file, const std::string& dataset,
                                      const TapInfo& own);

}  // namespace parity::replay
