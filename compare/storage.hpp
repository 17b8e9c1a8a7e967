// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a file may do to values: leave elements uncomputed, or store another element type.
#pragma once

#include <vector>

#include "compare/tolerance.hpp"

namespace parity::compare {

/// `got` with the reference's values where nothing was computed: there nothing fails, and nothing deviates.
[[nodiscard]] Tensor with_reference(const Tensor& got, const Tensor& reference, const std::vector<bool>& uncomputed);
/// Takes these elements out of what the record counts as judged.
void leave_out(const std::vector<bool>& uncomputed, Record& record);

/// A tap in another element type than the plan's. Of fewer bits: storing rounded once more, which is not an error; both
/// the tolerance and the expected bits include that rounding. Of more bits: nothing was rounded that should have been.
class Storage {
 public:
  /// Makes `values` point to what this object holds, where that is needed; it must outlive them.
  Storage(Values& values, DType planned);
  /// Says of a tap that passes with other bits than the oracle's that its type is why.
  void describe(Record& record) const;

 private:
  DType planned_;
  std::vector<double> noise_, rounded_;
};

}  // namespace parity::compare
