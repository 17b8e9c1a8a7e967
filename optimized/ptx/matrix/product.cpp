// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/product.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "optimized/ptx/matrix/aligned_sum.hpp"
#include "optimized/ptx/number/arithmetic.hpp"
#include "optimized/ptx/number/environment.hpp"
#include "optimized/ptx/number/native.hpp"
#include "optimized/ptx/number/perturb.hpp"

namespace parity::ptx {
namespace {

constexpr int kColumns = 8;  // a vector of f32; n of every shape is a multiple

void multiply_sequential(int m, int n, int k, const float* a, const float* b, const float* c, float* d) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; j += kColumns) {
      std::array<float, kColumns> sum;
      for (int x = 0; x < kColumns; ++x) sum[static_cast<size_t>(x)] = c[i * n + j + x];
      for (int l = 0; l < k; ++l) {
        const float factor = a[i * k + l];
        const float* row = b + static_cast<ptrdiff_t>(l) * n + j;
        for (size_t x = 0; x < kColumns; ++x) sum[x] = std::fma(factor, row[x], sum[x]);
      }
      for (int x = 0; x < kColumns; ++x) d[i * n + j + x] = native::result<false>(sum[static_cast<size_t>(x)]);
    }
  }
}

/// The element to binary64 accuracy, moved within bound * sum of magnitudes.
float perturbed_element(int n, int k, const float* a_row, const float* b_column, float start, const Summation& how,
                        uint64_t index) {
  double sum = start;
  double magnitude = std::abs(sum);
  for (int l = 0; l < k; ++l) {
    const double term = static_cast<double>(a_row[l]) * static_cast<double>(b_column[static_cast<ptrdiff_t>(l) * n]);
    sum += term;
    magnitude += std::abs(term);
  }
  if (!std::isfinite(sum)) return native::result<false>(static_cast<float>(sum));
  const uint64_t key = mix(how.seed, index, std::bit_cast<uint64_t>(sum));
  return static_cast<float>(sum + fraction_of(key) * how.bound * magnitude);
}

}  // namespace

void check_summation(const Summation& how) {
  if (how.order == Summation::Order::aligned) {
    PARITY_CHECK(how.group >= 1 && how.group <= 64, usage, "a group of {} products; take 1 to 64", how.group);
    PARITY_CHECK(how.fraction_bits >= 13 && how.fraction_bits <= 36, usage,
                 "{} fraction bits of an aligned sum; take 13 to 36", how.fraction_bits);
  }
  if (how.order == Summation::Order::perturbed) {
    PARITY_CHECK(how.bound >= 0.0 && how.bound < 1.0, usage, "a perturbation of {} of the sum; take 0 to 1", how.bound);
  }
}

void multiply(int m, int n, int k, const float* a, const float* b, const float* c, float* d, const Summation& how) {
  const NearestEnvironment nearest;
  if (how.order == Summation::Order::sequential) return multiply_sequential(m, n, k, a, b, c, d);
  check_summation(how);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const float start = c[i * n + j];
      const auto index = static_cast<uint64_t>(i * n + j);
      d[i * n + j] = how.order == Summation::Order::aligned
                         ? aligned_sum(n, k, a + i * k, b + j, start, how)
                         : perturbed_element(n, k, a + i * k, b + j, start, how, index);
    }
  }
}

void multiply_f64(int m, int n, int k, const double* a, const double* b, const double* c, double* d,
                  RoundingMode rounding) {
  const ArithmeticMode mode{.rounding = rounding};
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      auto sum = std::bit_cast<uint64_t>(c[i * n + j]);
      for (int l = 0; l < k; ++l) {
        sum = fma(NumberType::f64, std::bit_cast<uint64_t>(a[i * k + l]), std::bit_cast<uint64_t>(b[l * n + j]), sum,
                  mode);
      }
      d[i * n + j] = std::bit_cast<double>(sum);
    }
  }
}

void multiply_integer(int m, int n, int k, const int32_t* a, const int32_t* b, const int32_t* c, int32_t* d,
                      bool satfinite) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      int64_t sum = c[i * n + j];
      for (int l = 0; l < k; ++l) sum += static_cast<int64_t>(a[i * k + l]) * b[l * n + j];
      if (satfinite) {
        sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
      }
      d[i * n + j] = static_cast<int32_t>(static_cast<uint32_t>(sum));
    }
  }
}

}  // namespace parity::ptx
