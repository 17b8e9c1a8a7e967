// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names of the attributes of a capture: what is misspelt would be left unread.
#pragma once

#include "golden/activation_file.hpp"

namespace parity::golden {

/// Error{schema} for an attribute of the root, of a tap or of the group weights that is none of docs/golden-format.md's nor
/// the golden's own, with the nearest name. What others write beside is let pass: names that begin with x_, and those
/// without a small letter or with a leading _ (CLASS, _NCProperties), as libraries on top of HDF5 use them.
void check_attributes(const ActivationFile& capture, const ActivationFile& golden);

}  // namespace parity::golden
