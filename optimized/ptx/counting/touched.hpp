// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which bytes of global memory a launch has read and written, a bit for each.
#pragma once

#include <map>
#include <vector>

#include "optimized/ptx/counting/sectors.hpp"
#include "optimized/ptx/machine/device.hpp"

namespace parity::ptx {

class Touched {
 public:
  /// Sectors that lie in allocations of the device; a sector lies in one, as they are aligned to more.
  void mark(const Device& device, Traffic traffic, const Sector& sector);
  /// Adds the marks of another worker.
  void add(const Touched& other);
  [[nodiscard]] UniqueBytes unique() const;

 private:
  using Bits = std::vector<uint32_t>;  // by sector of the allocation; empty: none
  using Marks = std::array<Bits, kTraffics>;

  std::map<const Allocation*, Marks> marks_;
  const Allocation* last_ = nullptr;  // that was marked, and its marks
  Marks* last_marks_ = nullptr;
};

}  // namespace parity::ptx
