// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Check of the names of a capture's attributes, because a misspelt attribute would be ignored.
#pragma once

#include "golden/files/activation_file.hpp"

namespace parity::golden {

/// Throws Error{schema} with the nearest name for an attribute of the root, of a tap or of the group weights that is
/// neither in docs/golden-format.md nor in the golden. Names for other tools are allowed: those that begin with x_ or
/// _, and those without a lower-case letter (CLASS, _NCProperties), which libraries on top of HDF5 use.
void check_attributes(const ActivationFile& capture, const ActivationFile& golden);

}  // namespace parity::golden
