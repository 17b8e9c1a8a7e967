// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/product.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "optimized/ptx/matrix/aligned_product.hpp"
#include "optimized/ptx/number/arithmetic.hpp"
#include "optimized/ptx/number/environment.hpp"
#include "optimized/ptx/number/native.hpp"
#include "optimized/ptx/number/perturb.hpp"

namespace parity::ptx {
namespace {

/// Eight sums of a row: one vector register of f32.
template <class T>
struct RowSums {
  T at[kColumns];

  explicit RowSums(const T* c) { std::copy_n(c, kColumns, at); }
  void add(T factor, const T* row) {
    for (int x = 0; x < kColumns; ++x) at[x] = std::fma(factor, row[x], at[x]);
  }
  void store(T* d) const {
    for (int x = 0; x < kColumns; ++x) d[x] = native::result<false>(at[x]);
  }
};

/// Four rows at once: the sums of one row wait for each other, those of several rows overlap. The sums are variables
/// and not elements of an array, because compilers then keep them in registers.
template <class T>
void multiply_four_rows(int n, int k, const T* a, const T* b, const T* c, T* d) {
  RowSums<T> first(c), second(c + n), third(c + 2 * n), fourth(c + 3 * n);
  for (int l = 0; l < k; ++l, b += n) {
    first.add(a[l], b);
    second.add(a[k + l], b);
    third.add(a[2 * k + l], b);
    fourth.add(a[3 * k + l], b);
  }
  first.store(d);
  second.store(d + n);
  third.store(d + 2 * n);
  fourth.store(d + 3 * n);
}

template <class T>
void multiply_row(int n, int k, const T* a, const T* b, const T* c, T* d) {
  RowSums<T> sums(c);
  for (int l = 0; l < k; ++l, b += n) sums.add(a[l], b);
  sums.store(d);
}

template <class T>
void multiply_sequential(int m, int n, int k, const T* a, const T* b, const T* c, T* d) {
  for (int j = 0; j < n; j += kColumns) {
    int i = 0;
    for (; i + 4 <= m; i += 4) multiply_four_rows(n, k, a + i * k, b + j, c + i * n + j, d + i * n + j);
    for (; i < m; ++i) multiply_row(n, k, a + i * k, b + j, c + i * n + j, d + i * n + j);
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

void multiply_perturbed(int m, int n, int k, const float* a, const float* b, const float* c, float* d,
                        const Summation& how) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const int at = i * n + j;
      d[at] = perturbed_element(n, k, a + i * k, b + j, c[at], how, static_cast<uint64_t>(at));
    }
  }
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

void multiply(int m, int n, int k, const float* a, const float* b, const float* c, float* d, const ProductKind& kind,
              const Summation& how) {
  const NearestEnvironment nearest;
  check_summation(how);
  switch (how.order) {
    case Summation::Order::hopper:
      return multiply_aligned(m, n, k, a, b, c, d, hopper_sum(kind, k));
    case Summation::Order::sequential:
      return multiply_sequential(m, n, k, a, b, c, d);
    case Summation::Order::aligned:
      return multiply_aligned(m, n, k, a, b, c, d, {.group = how.group, .fraction_bits = how.fraction_bits});
    case Summation::Order::perturbed:
      return multiply_perturbed(m, n, k, a, b, c, d, how);
  }
}

void multiply_f64(int m, int n, int k, const double* a, const double* b, const double* c, double* d,
                  RoundingMode rounding) {
  if (rounding == RoundingMode::nearest) {
    const NearestEnvironment nearest;
    return multiply_sequential(m, n, k, a, b, c, d);
  }
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
    for (int j = 0; j < n; j += kColumns) {
      std::array<int32_t, kColumns> sum{};
      for (int l = 0; l < k; ++l) {
        const int32_t* row = b + static_cast<ptrdiff_t>(l) * n + j;
        for (size_t x = 0; x < kColumns; ++x) sum[x] += a[i * k + l] * row[x];
      }
      for (int x = 0; x < kColumns; ++x) {
        int64_t total = int64_t{c[i * n + j + x]} + sum[static_cast<size_t>(x)];
        if (satfinite) {
          total = std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
        }
        d[i * n + j + x] = static_cast<int32_t>(static_cast<uint32_t>(total));
      }
    }
  }
}

}  // namespace parity::ptx
