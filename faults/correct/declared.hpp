// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What has to be drawn of a component before its declared operands: extents that hang together, ids that mean something,
// parameters. Operands and outputs that are given here are not drawn again.
#pragma once

#include <map>
#include <string>

#include "faults/correct/maker.hpp"

namespace parity::faults {

[[nodiscard]] const std::map<std::string, Recipe>& declared_extents();

/// For the components of images and videos.
void add_media_extents(std::map<std::string, Recipe>& extents);

}  // namespace parity::faults
