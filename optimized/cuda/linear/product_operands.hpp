// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What every product of tokens with rows of a weight is given, however the weight is held.
#pragma once

#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

struct ProductOperands {
  Rows x, bias, out;                                            // (N, H), (F), (N, F); bias.at.data is null without one
  float* partial;               // (pieces, N, F), null where each sum is made by one block
  int64_t tokens, rows, width;  // N, F, H
  int64_t piece, pieces;        // channels of a block, and how many blocks share the channels
};

}  // namespace parity::optimized::cuda
