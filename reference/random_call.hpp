// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A small random call of any component, for tests and self-tests of properties that all components have.
#pragma once

#include "core/dtype.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {

struct RandomCall {
  TestCall call;
  RoundingTable table;  // rounding rows of the attention implementation that the call imitates
};

/// A call with extents of 1 to 8 and values representable in `working`; seed and type determine the call.
[[nodiscard]] RandomCall random_call(const std::string& component, uint64_t seed, DType working);

}  // namespace parity::reference
