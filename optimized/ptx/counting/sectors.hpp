// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The sectors that a request touches, and which of their bytes.
#pragma once

#include <span>

#include "optimized/ptx/counting/counters.hpp"

namespace parity::ptx {

struct Sector {
  uint64_t number = 0;  // address / 32
  uint32_t bytes = 0;   // a bit for each
};

/// Different sectors as one request.
[[nodiscard]] SectorCount as_request(std::span<const Sector> sectors);

class Sectors {
 public:
  /// The sectors that the lanes in the mask touch. Sizes are powers of two up to 32, and addresses are multiples of the
  /// size.
  Sectors(std::span<const uint64_t, kLanes> addresses, Mask mask, uint32_t bytes);

  [[nodiscard]] std::span<const Sector> all() const { return std::span(sectors_).first(used_); }
  [[nodiscard]] SectorCount count() const { return as_request(all()); }

 private:
  std::array<Sector, kLanes> sectors_;
  uint32_t used_ = 0;
};

/// Where local memory really lies: words of the same offset of all lanes are neighbours. Source: CUDA C++ Programming
/// Guide 13.0, local memory.
[[nodiscard]] constexpr uint64_t local_address(uint64_t offset, uint32_t lane) {
  constexpr uint32_t kWord = 4;
  return offset / kWord * kWord * kLanes + uint64_t{lane} * kWord + offset % kWord;
}
/// One request of local memory; the lanes' words are those of local_address().
[[nodiscard]] SectorCount local_sectors(std::span<const uint64_t, kLanes> offsets, Mask mask, uint32_t bytes);

}  // namespace parity::ptx
