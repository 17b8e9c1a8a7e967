// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How much of a run are matrix products, and how fast they are.
#pragma once

namespace parity::reference {

struct ProductMeter {
  double seconds = 0.0;  // wall clock
  double flops = 0.0;    // two per product and sum
};

/// Of every product since the program started; products are called one after the other and use all threads inside.
[[nodiscard]] ProductMeter& product_meter();

/// Eigen's own binary64 product, `size` cubed, one on every thread at once, the best of five: flops per second of all.
[[nodiscard]] double eigen_flops_per_second(long size);

}  // namespace parity::reference
