// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {

/// The next phase, if nothing is expected in this one any more.
void settle(ArrivalBarrier& barrier);

}  // namespace parity::ptx
