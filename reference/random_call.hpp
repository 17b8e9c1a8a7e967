// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A small random call of any component, for tests and self-tests that hold for all of them.
#pragma once

#include "core/dtype.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {

struct RandomCall {
  TestCall call;
  RoundingTable table;  // of the attention implementation that the call stands for
};

/// Extents of 1 to 8, values representable in `working`; the same seed and type give the same call.
[[nodiscard]] RandomCall random_call(const std::string& component, uint64_t seed, DType working);

}  // namespace parity::reference
