// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/sectors.hpp"

#include <algorithm>
#include <bit>

namespace parity::ptx {
namespace {

uint32_t bits_of(uint64_t address, uint32_t bytes) {
  return (bytes >= kSectorBytes ? ~uint32_t{0} : (1U << bytes) - 1) << address % kSectorBytes;
}

}  // namespace

Sectors::Sectors(std::span<const uint64_t, kLanes> addresses, Mask mask, uint32_t bytes) {
  bool ascending = true;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(mask, lane)) continue;
    const Sector sector{addresses[lane] / kSectorBytes, bits_of(addresses[lane], bytes)};
    if (used_ > 0 && sectors_[used_ - 1].number == sector.number) {
      sectors_[used_ - 1].bytes |= sector.bytes;
      continue;
    }
    ascending = ascending && (used_ == 0 || sectors_[used_ - 1].number < sector.number);
    sectors_[used_++] = sector;
  }
  if (ascending) return;
  std::sort(sectors_.begin(), sectors_.begin() + used_,
            [](const Sector& a, const Sector& b) { return a.number < b.number; });
  uint32_t last = 0;
  for (uint32_t i = 1; i < used_; ++i) {
    if (sectors_[i].number == sectors_[last].number) {
      sectors_[last].bytes |= sectors_[i].bytes;
    } else {
      sectors_[++last] = sectors_[i];
    }
  }
  used_ = last + 1;
}

SectorCount as_request(std::span<const Sector> sectors) {
  SectorCount count;
  if (sectors.empty()) return count;
  count.requests = 1;
  count.sectors = sectors.size();
  for (const Sector& sector : sectors) count.bytes += static_cast<uint64_t>(std::popcount(sector.bytes));
  count.least = (count.bytes + kSectorBytes - 1) / kSectorBytes;
  count.coalesced = count.sectors <= count.least ? 1 : 0;
  return count;
}

SectorCount local_sectors(std::span<const uint64_t, kLanes> offsets, Mask mask, uint32_t bytes) {
  constexpr uint32_t kWord = 4;
  SectorCount sum;
  for (uint32_t done = 0; done < bytes; done += kWord) {
    std::array<uint64_t, kLanes> addresses;
    for (uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] = local_address(offsets[lane] + done, lane);
    sum += Sectors(addresses, mask, std::min(bytes, kWord)).count();
  }
  sum.requests = mask == 0 ? 0 : 1;
  sum.coalesced = sum.requests != 0 && sum.sectors <= sum.least ? 1 : 0;
  return sum;
}

}  // namespace parity::ptx
