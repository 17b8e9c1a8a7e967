// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Source: CUDA C++ Programming Guide 13.0, section on shared memory of compute capability 5.x: 32 banks hold successive
// words, and a word that several lanes access is sent to all of them. Halves and quarters of a warp for wide accesses:
// as Nsight Compute counts wavefronts of conflict-free accesses (2 and 4).
#include "optimized/ptx/counting/banks.hpp"

#include <algorithm>

namespace parity::ptx {
namespace {

/// The most words that one bank must deliver.
uint32_t most_of_a_bank(std::span<uint64_t> words, bool apart) {
  std::sort(words.begin(), words.end());
  std::array<uint32_t, kBanks> wanted{};
  uint32_t most = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!apart && i > 0 && words[i] == words[i - 1]) continue;
    most = std::max(most, ++wanted.at(words[i] % kBanks));
  }
  return most;
}

}  // namespace

WavefrontCount wavefronts(std::span<const uint64_t, kLanes> offsets, Mask mask, uint32_t bytes, bool apart) {
  WavefrontCount count;
  if (mask == 0) return count;
  count.requests = 1;
  const uint32_t together = lanes_together(bytes), words_each = std::max(1U, bytes / kBankBytes);
  for (uint32_t first = 0; first < kLanes; first += together) {
    std::array<uint64_t, kLanes> words;
    size_t used = 0;
    for (uint32_t lane = first; lane < first + together; ++lane) {
      if (!has_lane(mask, lane)) continue;
      for (uint32_t w = 0; w < words_each; ++w) words.at(used++) = offsets[lane] / kBankBytes + w;
    }
    if (used == 0) continue;
    count.wavefronts += most_of_a_bank(std::span(words).first(used), apart);
    ++count.least;  // the words of these lanes fit into one
  }
  return count;
}

}  // namespace parity::ptx
