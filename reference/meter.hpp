// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Time and speed of the matrix products in a run.
#pragma once

namespace parity::reference {

struct ProductMeter {
  double seconds = 0.0;  // wall clock
  double flops = 0.0;    // two per product and sum
};

/// The totals of all products since the program started. Products run one after another and use all threads.
[[nodiscard]] ProductMeter& product_meter();

/// Flops per second of Eigen's binary64 product, size x size, on all threads at once; the best of five repetitions.
[[nodiscard]] double eigen_flops_per_second(long size);

}  // namespace parity::reference
