// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the kernels of lightning attention are given.
#pragma once

#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

/// An operand whose type is known when the kernel runs: f32 or bf16.
template <int rank>
struct LightningOperand {
  Operand<rank> at;  // data is null where nobody asks
  Element element;
};

/// Where values are rounded to the working type.
struct LightningRounds {
  bool score, decayed_score, query, key, intra, inter, exponent, decay, increment, decayed_state, state, read_state;
};

struct LightningParameters {
  Operand<4> q, k, v, out;                                                                               // (B, A, S, D)
  LightningOperand<4> intra, inter, past, state;                // (B, A, S, D) twice, (B, A, D, D) twice: keys x values
  LightningOperand<5> block_states;                                                                   // (J, B, A, D, D)
  LightningOperand<1> slope;                                                                                      // (A)
  LightningOperand<2> query_decay, key_decay;                                                                  // (A, Q)
  LightningOperand<3> diagonal;                                                                             // (A, Q, Q)
  float* cells;                                   // (B A, J, D, D): what each block adds, and then the state before it
  int64_t heads, tokens, width, size, blocks;     // A, S, D, Q, J
  LightningRounds round;
  bool vectors;  // q, k and v may be read by 16 bytes
};

}  // namespace parity::optimized::cuda
