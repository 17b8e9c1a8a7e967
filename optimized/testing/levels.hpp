// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: runs a test at each instruction level of this processor.
#pragma once

#include <gtest/gtest.h>

#include "optimized/cpu/level.hpp"

namespace parity::cpu {

template <class Body>
void at_every_level(const Body& body) {
  const Level before = level();
  for (const Level each : kLevels) {
    if (each > highest_level()) continue;
    SCOPED_TRACE(to_string(each));
    use_level(each);
    body();
  }
  use_level(before);
}

}  // namespace parity::cpu
