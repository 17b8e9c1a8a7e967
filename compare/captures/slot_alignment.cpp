// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/slot_alignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parity::compare {
namespace {

double distance(const double* a, const double* b, int64_t width) {
  double sum = 0.0;
  for (int64_t i = 0; i < width; ++i) sum += std::abs(a[i] - b[i]);
  return std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum;
}

}  // namespace

bool has_slots(const TensorView& tap) {
  const auto tokens = split_axes(tap.axes);
  return tokens.size() >= 2 && tokens[0] == "N" && tokens[1] == "T";
}

Tensor align_slots(const Tensor& got, const Tensor& reference) {
  const int64_t slots = got.shape()[1];
  const int64_t width = got.view().count() / (got.shape()[0] * slots);
  Tensor result(DType::f64, got.shape(), got.view().axes);
  for (int64_t n = 0; n < got.shape()[0]; ++n) {
    std::vector<bool> used(static_cast<size_t>(slots), false);
    for (int64_t t = 0; t < slots; ++t) {
      const double* wanted = reference.f64() + (n * slots + t) * width;
      int64_t best = -1;
      double nearest = std::numeric_limits<double>::infinity();
      for (int64_t other = 0; other < slots; ++other) {
        const double apart = distance(wanted, got.f64() + (n * slots + other) * width, width);
        if (used[static_cast<size_t>(other)] || (best >= 0 && apart >= nearest)) continue;
        best = other;
        nearest = apart;
      }
      used[static_cast<size_t>(best)] = true;
      std::copy_n(got.f64() + (n * slots + best) * width, width, result.f64() + (n * slots + t) * width);
    }
  }
  return result;
}

Tensor sorted_slots(const Tensor& ids) {
  Tensor result(DType::i64, ids.shape(), ids.view().axes);
  std::copy_n(ids.i64(), ids.view().count(), result.i64());
  const int64_t slots = ids.shape().back();
  int64_t* const first = result.i64();
  for (int64_t row = 0; row < ids.view().count(); row += slots) std::sort(first + row, first + row + slots);
  return result;
}

}  // namespace parity::compare
