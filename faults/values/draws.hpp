// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A sequence of random choices from one seed.
#pragma once

#include <cstdint>

#include "core/error.hpp"
#include "core/random.hpp"

namespace parity::faults {

class Draws {
 public:
  explicit Draws(uint64_t seed) : random_(seed, "faults") {}

  /// Returns a number in [0, limit).
  [[nodiscard]] int64_t below(int64_t limit) {
    PARITY_CHECK(limit > 0, internal, "nothing to draw from");
    return static_cast<int64_t>(random_.below(next_++, static_cast<uint64_t>(limit)));
  }
  [[nodiscard]] uint64_t bits() { return random_.bits(next_++); }

 private:
  Random random_;
  uint64_t next_ = 0;
};

}  // namespace parity::faults
