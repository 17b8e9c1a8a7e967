// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention of one call, dense or over lists of key blocks. Windows of neighbouring rows read the chunks they see.
#pragma once

#include "optimized/attention_operands.hpp"

namespace parity::cpu {

using optimized::AttentionOperands;

/// Computes attention. Results depend neither on the number of threads nor on which rows share a window. Lists that
/// name all visible blocks are ignored, so that short sequences take no longer than dense attention.
template <class T>
void attend(const AttentionOperands<T>& operands, Workspace& workspace);

}  // namespace parity::cpu
