// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Blocks of two warpgroups that multiply and one warp that copies, for compute capability 9.0.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

constexpr int kGroupCapability = 90;  // of the GPUs that run modules *_sm90
constexpr int kGroupThreads = 128;    // of a warpgroup
constexpr uint32_t kGroupBlockThreads = 2 * kGroupThreads + 32;

}  // namespace parity::optimized::cuda
