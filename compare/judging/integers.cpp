// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/integers.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compare/values/slices.hpp"

namespace parity::compare {

void judge_integers(const Tensor& expected, const Tensor& got, const OpenIntegers& open, Record& record) {
  FailureMap failures(record.axes, record.shape);
  const int64_t count = expected.view().count();
  int64_t excess = 0;
  for (int64_t i = 0; i < count; ++i) {
    excess += got.i64()[i] - expected.i64()[i];
    const bool same = got.i64()[i] == expected.i64()[i];
    const bool undecided = !open.elements.empty() && open.elements[static_cast<size_t>(i)];
    const bool near = undecided && (open.ids || std::abs(got.i64()[i] - expected.i64()[i]) <= open.tokens);
    if (undecided) ++record.undecided.elements;
    if (near && !same) ++record.undecided.deviating;
    failures.add(same || near ? 0.0 : std::numeric_limits<double>::infinity());
    if (same) ++record.bit_equal.equal;
  }
  record.elements = count;
  record.bit_equal.total = count;
  record.failed = failures.failed();
  record.budget_used = failures.worst_budget();
  record.slices = failures.slices();
  if (record.failed == 0 && excess != 0 && !open.ids) {
    record.status = Status::fail;
    record.reason = fmt::format(
        "counts depend on ids that were not recorded, but their sum does not; the sum is off by {}", excess);
  }
  if (record.failed == 0) return;
  const int64_t worst = failures.worst();
  record.status = Status::fail;
  record.where = failures.description();
  record.worst.index = index_of(worst, record.shape);
  record.worst.exact = record.worst.rounded = static_cast<double>(expected.i64()[worst]);
  record.worst.got = static_cast<double>(got.i64()[worst]);
  record.relative_error = 1.0;
}

}  // namespace parity::compare
