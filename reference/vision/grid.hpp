// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A matrix of numbers and its product with a weight matrix: the only product for which the reference calls Eigen.
#pragma once

#include <algorithm>
#include <chrono>

#include <Eigen/Core>

#include "core/parallel.hpp"
#include "core/rounding.hpp"
#include "core/tensor.hpp"
#include "reference/meter.hpp"

namespace parity::reference {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMatrix = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

/// A matrix as an Eigen map. Throws Error{internal} unless its rows are dense.
inline ConstMatrix matrix(const Span<double, 2>& span) {
  PARITY_CHECK(span.stride[1] == 1 || span.extent[1] == 1, internal, "matrix rows must be dense");
  return {span.data, span.extent[0], span.extent[1], Eigen::OuterStride<>(span.stride[0])};
}

/// A rows x columns matrix of numbers; for Bounded, the two error terms are separate matrices.
template <class Num>
class Grid {
 public:
  Grid(int64_t rows, int64_t columns) : value(Matrix::Zero(rows, columns)) {
    if constexpr (std::is_same_v<Num, Bounded>) {
      rounding = Matrix::Zero(rows, columns);
      noise = Matrix::Zero(rows, columns);
    }
  }
  [[nodiscard]] Num at(int64_t i, int64_t j) const {
    if constexpr (std::is_same_v<Num, Bounded>) {
      return {value(i, j), rounding(i, j), noise(i, j)};
    } else {
      return value(i, j);
    }
  }
  void set(int64_t i, int64_t j, const Num& number) {
    value(i, j) = value_of(number);
    if constexpr (std::is_same_v<Num, Bounded>) {
      rounding(i, j) = number.rounding;
      noise(i, j) = number.noise;
    }
  }

  Matrix value;
  Matrix rounding;
  Matrix noise;
};

/// One block of columns of product(), `length` columns from `first` on.
template <class Num>
void product_block(const Grid<Num>& x, const ConstMatrix& weight, const Round& sum, const Round& out, int64_t first,
                   int64_t length, const Span<double, 1>& bias, Grid<Num>& y) {
  const auto rows = weight.middleRows(first, length);
  y.value.middleCols(first, length).noalias() = x.value * rows.transpose();
  Eigen::RowVectorXd added = Eigen::RowVectorXd::Zero(length);
  for (int64_t f = 0; bias.data != nullptr && f < length; ++f) added(f) = bias(first + f);
  if (bias.data != nullptr) y.value.middleCols(first, length).rowwise() += added;
  if constexpr (std::is_same_v<Num, Bounded>) {
    const Matrix magnitude = rows.cwiseAbs();
    if (x.rounding.size() > 0) y.rounding.middleCols(first, length).noalias() = x.rounding * magnitude.transpose();
    y.noise.middleCols(first, length).noalias() = x.noise * magnitude.transpose();
    if (bias.data != nullptr)
      y.noise.middleCols(first, length).rowwise() += gamma(weight.cols() + 1) * sum.unit() * added.cwiseAbs();
  }
  for (int64_t i = 0; i < y.value.rows(); ++i) {
    for (int64_t j = first; j < first + length; ++j) {
      if constexpr (std::is_same_v<Num, Bounded>) {
        y.set(i, j, out(y.at(i, j)));
      } else {
        y.set(i, j, out(sum(y.at(i, j))));
      }
    }
  }
}

/// y[n,f] = out(sum(sum_h x[n,h] weight[f,h] + bias[f])), accumulated in binary64 and rounded at the two points. `bias`
/// may be empty; otherwise it is one more term of the sum. In the bound, errors of x are multiplied by |weight|, and
/// accumulation adds gamma(H) u sum_h |x weight|.
/// Blocks of columns are independent, so the result does not depend on the number of threads.
template <class Num>
Grid<Num> product(const Grid<Num>& x, const ConstMatrix& weight, const Round& sum, const Round& out,
                  const Span<double, 1>& bias = {}) {
  constexpr int64_t kBlock = 512;  // columns; bounds the memory for the magnitudes of the weight
  Grid<Num> y(x.value.rows(), weight.rows());
  const Grid<Num>* left = &x;
  Grid<Num> errors(0, 0);
  if constexpr (std::is_same_v<Num, Bounded>) {
    errors.value = x.value;
    const int64_t terms = weight.cols() + (bias.data == nullptr ? 0 : 1);
    errors.noise = x.noise + gamma(terms) * sum.unit() * x.value.cwiseAbs();
    if (!x.rounding.isZero(0.0)) errors.rounding = x.rounding;  // recorded inputs have no error, which saves a product
    left = &errors;
  }
  const int64_t blocks = (weight.rows() + kBlock - 1) / kBlock;
  const auto start = std::chrono::steady_clock::now();
  CaughtInParallel caught;
#pragma omp parallel for schedule(dynamic) if (blocks > 1)
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = block * kBlock;
    caught.run(
        [&] { product_block(*left, weight, sum, out, first, std::min(kBlock, weight.rows() - first), bias, y); });
  }
  caught.rethrow();
  const double products = 1.0 + (left->noise.size() > 0 ? 1.0 : 0.0) + (left->rounding.size() > 0 ? 1.0 : 0.0);
  ProductMeter& meter = product_meter();
  meter.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  meter.flops += products * 2.0 * static_cast<double>(weight.size()) * static_cast<double>(x.value.rows());
  return y;
}

}  // namespace parity::reference
