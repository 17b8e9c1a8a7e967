// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/meter.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <omp.h>

#include "reference/vision/grid.hpp"

namespace parity::reference {

ProductMeter& product_meter() {
  static ProductMeter meter;
  return meter;
}

double eigen_flops_per_second(long size) {
  const Matrix a = Matrix::Random(size, size);
  const Matrix b = Matrix::Random(size, size);
  std::vector<Matrix> c(static_cast<size_t>(omp_get_max_threads()), Matrix(size, size));
  double best = 0.0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(static, 1)
    for (Matrix& product : c) product.noalias() = a * b.transpose();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto n = static_cast<double>(size);
    best = std::max(best, static_cast<double>(c.size()) * 2.0 * n * n * n / seconds);
  }
  return best;
}

}  // namespace parity::reference
