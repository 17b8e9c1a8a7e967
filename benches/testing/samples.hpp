// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace parity::benches::tests {

/// Returns twelve samples, of which the last is 1.1 % above the first.
inline std::vector<double> around(double centre) {
  std::vector<double> samples;
  for (int i = 0; i < 12; ++i) samples.push_back(centre * (1.0 + 0.001 * i));
  return samples;
}

}  // namespace parity::benches::tests
