// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A fit of several edits, cut down to those that it needs.
#pragma once

#include "faults/inquiry.hpp"

namespace parity::faults {

/// `found` without the edits that change nothing at `first`, and with a fault of its own for each parameter and each
/// rounding point: what a report lists, and `--assume` takes, one by one.
[[nodiscard]] Verified narrowed(const Inquiry& inquiry, Verified found, const compare::Record& first);

/// `found` with 0, 1 or -1 for a fitted number, where more of the bits are explained so: numbers that were fitted one after
/// the other are each a little off.
[[nodiscard]] Verified plainer(const Inquiry& inquiry, Verified found, const compare::Record& first);

}  // namespace parity::faults
