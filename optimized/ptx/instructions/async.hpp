// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Asynchronous copies: issued by one instruction, carried out only when something waits for them.
#pragma once

#include <functional>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {

/// Carries out the oldest bulk copy of the blocks, if no warp can run. Returns false if there is no such copy.
bool carry_out_one(Gang& gang);
/// Carries out the copies that are still under way when all threads have exited.
void finish_copies(Gang& gang);
/// Carries out the copies for which this mbarrier waits.
void carry_out_for(Gang& gang, const Block& block, uint32_t barrier);
void carry_out_those(Gang& gang, const std::function<bool(const PendingBulk&)>& which);
/// What the copy will write is taken from where it lies; it may change from then on.
void read_source(PendingBulk& bulk);

}  // namespace parity::ptx
