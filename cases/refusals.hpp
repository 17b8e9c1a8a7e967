// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Whether a kernel refuses ids that its component does not have: a token outside of the vocabulary, a page that does
// not exist. A component that throws Error{schema} for them has an entry in id_ranges().
#pragma once

#include <vector>

#include "cases/guards.hpp"

namespace parity::cases {

/// The ids that an integer operand may hold: 0 up to the extent of an operand's axis, or up to a parameter if that is
/// positive. A kernel throws Error{schema} for any other id that it reads.
struct IdRange {
  const char* component;
  const char* field;
  const char* operand;  // an input or output
  size_t axis;          // counted from the first
  const char* param = "";
};
[[nodiscard]] const std::vector<IdRange>& id_ranges();
/// Returns the range of an input; nullptr if the component gives every id a meaning.
[[nodiscard]] const IdRange* id_range(const Definition& definition, size_t input);

/// Ids that an operand of the call may not hold: the first one after its range, far ones whose lower 32 bits are in the
/// range, and negative ones. Empty where the field declares no range, or the operand is absent.
[[nodiscard]] std::vector<int64_t> ids_outside(const KernelCall& call, size_t input);
/// Returns the call with `id` at one place of an input, or at all places where `place` is negative. The new tensor is
/// owned by `keep`.
[[nodiscard]] KernelCall with_id(const KernelCall& call, size_t input, int64_t place, int64_t id, Tensor& keep);
/// Puts each id outside of its range in every place, in the first and in the last. Where the reference throws
/// Error{schema}, so must the kernel; where the reference does not read the place, the kernel must compute.
[[nodiscard]] GuardResult check_refusals(const GuardedKernel& kernel);

}  // namespace parity::cases
