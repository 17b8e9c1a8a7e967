// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Effects of a file on values: elements may be missing, or stored in another type.
#pragma once

#include <vector>

#include "compare/judging/tolerance.hpp"

namespace parity::compare {

/// Returns `got` with the reference's values at uncomputed elements, so that these neither fail nor deviate.
[[nodiscard]] Tensor with_reference(const Tensor& got, const Tensor& reference, const std::vector<bool>& uncomputed);
/// Removes the uncomputed elements from the counts of the record.
void leave_out(const std::vector<bool>& uncomputed, Record& record);

/// A tap stored in another element type than the plan's. A type of fewer bits means one more rounding, which is no
/// error: the tolerance and the expected bits include it. With more bits, no rounding is added.
class Storage {
 public:
  /// Redirects `values` to arrays in this object if the type requires it. This object must outlive `values`.
  Storage(Values& values, DType planned);
  /// Records that the stored type explains why a passing tap has other bits than the oracle's.
  void describe(Record& record) const;

 private:
  DType planned_;
  std::vector<double> noise_, rounded_;
};

}  // namespace parity::compare
