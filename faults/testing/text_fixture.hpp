// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "faults/studies/fixture.hpp"

namespace parity::faults::tests {

inline constexpr const char* kGolden = "golden/data/m3-text-f32";

/// Returns the golden, opened once for all tests.
inline const Fixture& fixture() {
  static const Fixture instance(kGolden);
  return instance;
}

}  // namespace parity::faults::tests
