// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A kernel's call as a graph: what a place records of it and launches again gives the bits of a call.
#pragma once

#include "cases/guarded_run.hpp"

namespace parity::cases {

/// Records the call and launches it twice, over other poison in outputs and scratch memory each time. idle: the place
/// records nothing, or no recording can hold the call, with the reason.
[[nodiscard]] GuardResult check_replay(const GuardedKernel& kernel, const GuardedRun& expected);

}  // namespace parity::cases
