// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A bound that would also accept zeros, the opposite sign or another row proves nothing.
#pragma once

#include "compare/record.hpp"
#include "compare/tolerance.hpp"

namespace parity::compare {

/// Sets `record` to mistrusted, with the reason, where more than 1 % of the elements are open to such values or the
/// output is constant.
void judge_vacuity(const Values& values, const Tolerance& tolerance, Record& record);

}  // namespace parity::compare
