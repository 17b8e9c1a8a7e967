// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Asynchronous copies: asked for at one place, carried out as late as what waits for them allows.
#pragma once

#include <functional>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {

/// Carries out the oldest bulk copy of the blocks, when nothing else can happen. False: there is none.
bool carry_out_one(Gang& gang);
/// What is still under way when all threads have exited.
void finish_copies(Gang& gang);
/// Copies whose completion this mbarrier waits for.
void carry_out_for(Gang& gang, const Block& block, uint32_t barrier);
void carry_out_those(Gang& gang, const std::function<bool(const PendingBulk&)>& which);
/// What the copy will write is taken from where it lies; it may change from then on.
void read_source(PendingBulk& bulk);

}  // namespace parity::ptx
