// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/storage.hpp"

#include <algorithm>
#include <cmath>

#include "replay/captures/stored_tap.hpp"

namespace parity::compare {

Tensor with_reference(const Tensor& got, const Tensor& reference, const std::vector<bool>& uncomputed) {
  Tensor result = convert(got.view(), got.dtype());
  const int64_t bytes = size_of(got.dtype());
  for (size_t i = 0; i < uncomputed.size(); ++i) {
    const auto at = static_cast<int64_t>(i) * bytes;
    if (uncomputed[i]) std::copy_n(reference.view().data + at, bytes, result.view().data + at);
  }
  return result;
}

void leave_out(const std::vector<bool>& uncomputed, Record& record) {
  const auto count = std::count(uncomputed.begin(), uncomputed.end(), true);
  if (count == 0) return;
  record.uncomputed = count;
  record.elements -= count;
  if (record.bit_equal.total == 0) return;
  record.bit_equal.equal -= count;
  record.bit_equal.total -= count;
}

Storage::Storage(Values& values, DType planned) : planned_(planned) {
  if (!replay::narrower(values.dtype, planned)) return;
  const auto count = static_cast<size_t>(values.count);
  noise_.assign(values.noise, values.noise + count);
  rounded_.assign(values.rounded, values.rounded + count);
  const double smallest = smallest_normal(values.dtype);
  for (size_t i = 0; i < count; ++i) {
    if (std::isfinite(values.exact[i]))
      noise_[i] += unit_roundoff(values.dtype) * std::max(std::abs(values.exact[i]), smallest);
    rounded_[i] = round_to(values.dtype, rounded_[i]);
  }
  values.noise = noise_.data();
  values.rounded = rounded_.data();
}

void Storage::describe(Record& record) const {
  if (record.dtype == planned_ || record.status != Status::pass || record.bit_equal.equal == record.bit_equal.total)
    return;
  const bool fewer = replay::narrower(record.dtype, planned_);
  record.deviation = Deviation{"type",
                               fmt::format("stored in {}, by the original package in {}{}", to_string(record.dtype),
                                           to_string(planned_), fewer ? ", rounded once more" : ""),
                               1.0};
}

}  // namespace parity::compare
