// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reduces a fit of several edits to those that are needed.
#pragma once

#include "faults/explaining/inquiry.hpp"

namespace parity::faults {

/// Returns `found` without edits that change nothing at `first`, and with a separate fault for each parameter and
/// rounding point, since a report lists these one by one, as `--assume` takes them.
[[nodiscard]] Verified narrowed(const Inquiry& inquiry, Verified found, const compare::Record& first);

/// Returns `found` with a fitted number replaced by 0, 1 or -1 if that explains more bits. Numbers that are fitted in
/// turn are each slightly off.
[[nodiscard]] Verified plainer(const Inquiry& inquiry, Verified found, const compare::Record& first);

}  // namespace parity::faults
