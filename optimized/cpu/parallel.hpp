// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Divides rows among threads. One thread computes a row in one order, so results do not depend on the number.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/parallel.hpp"

namespace parity::cpu {

/// Calls work(first, last) for pieces of [0, count) with `grain` rows each; a free thread takes the next piece.
template <class Work>
void in_pieces(int64_t count, int64_t grain, const Work& work) {
  const int64_t pieces = (count + grain - 1) / grain;
  CaughtInParallel caught;
#pragma omp parallel for schedule(dynamic) if (pieces > 1)
  for (int64_t piece = 0; piece < pieces; ++piece)
    caught.run([&] { work(piece * grain, std::min(count, (piece + 1) * grain)); });
  caught.rethrow();
}

}  // namespace parity::cpu
