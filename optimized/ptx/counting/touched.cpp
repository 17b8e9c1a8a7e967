// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/touched.hpp"

#include <bit>

namespace parity::ptx {
namespace {

void join(std::vector<uint32_t>& to, const std::vector<uint32_t>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
}

uint64_t ones(const std::vector<uint32_t>& bits) {
  uint64_t sum = 0;
  for (const uint32_t word : bits) sum += static_cast<uint64_t>(std::popcount(word));
  return sum;
}

}  // namespace

void Touched::mark(const Device& device, Traffic traffic, const Sector& sector) {
  const uint64_t address = sector.number * kSectorBytes;
  if (last_ == nullptr || address < last_->base || address >= last_->base + last_->bytes) {
    last_ = device.nearest(address);
    if (last_ == nullptr) return;
    last_marks_ = &marks_[last_];
  }
  Bits& bits = last_marks_->at(static_cast<size_t>(traffic));
  if (bits.empty()) bits.resize((last_->bytes + kSectorBytes - 1) / kSectorBytes);
  const uint64_t index = (address - last_->base) / kSectorBytes;
  if (index < bits.size()) bits[index] |= sector.bytes;
}

void Touched::add(const Touched& other) {
  for (const auto& [allocation, marks] : other.marks_) {
    for (size_t i = 0; i < kTraffics; ++i) join(marks_[allocation].at(i), marks.at(i));
  }
}

UniqueBytes Touched::unique() const {
  UniqueBytes result;
  for (const auto& [allocation, marks] : marks_) {
    Bits read, written;
    for (size_t i = 0; i < kTraffics; ++i) {
      result.by_traffic.at(i) += ones(marks.at(i));
      if (reads(static_cast<Traffic>(i))) join(read, marks.at(i));
      if (writes(static_cast<Traffic>(i))) join(written, marks.at(i));
    }
    result.read += ones(read);
    result.written += ones(written);
  }
  return result;
}

}  // namespace parity::ptx
