// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Says on stderr where a kernel was when a signal ended it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace parity::worker {

/// Memory of an operand, as the last call gave it.
struct Area {
  std::string name;  // "input 'x'"
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
};

/// From now on a signal that ends the process is explained, with the operand that is nearest to the address.
void explain_crashes();
/// The operands of the call that runs now. `areas` must outlive it.
void explain_by(const std::vector<Area>* areas);

}  // namespace parity::worker
