// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The fault catalogue: faults/catalogue/*.json, compiled in. A fault is added by a line there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/edits/fault.hpp"

namespace parity::faults {

/// Faults of one file: [{"id", "title", "component", "at", "edits": [...]}, …]; Error{schema} names file, fault and key.
[[nodiscard]] std::vector<Fault> parse_faults(std::string_view json, const std::string& file);

[[nodiscard]] Precision precision_named(const std::string& name);  // Error{schema}

/// Every fault of the catalogue, in the order of the model's flow; ids are unique.
[[nodiscard]] const std::vector<Fault>& catalogue();
[[nodiscard]] const Fault& find_fault(const std::string& id);  // Error{usage}, nearest id

}  // namespace parity::faults
