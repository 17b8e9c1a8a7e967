// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The fault catalogue, compiled in from faults/catalogue/*.json. To add a fault, add a line there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/edits/fault.hpp"

namespace parity::faults {

/// Parses one file: [{"id", "title", "component", "at", "edits": [...]}, …]. Error{schema} names file, fault and key.
[[nodiscard]] std::vector<Fault> parse_faults(std::string_view json, const std::string& file);

[[nodiscard]] Precision precision_named(const std::string& name);  // throws Error{schema}

/// Returns all faults of one process in the order of the model's flow. Their ids are unique.
[[nodiscard]] const std::vector<Fault>& catalogue();
/// Returns the faults of models that are divided among ranks. Their places are open (at_ranks).
[[nodiscard]] const std::vector<Fault>& rank_catalogue();
[[nodiscard]] const Fault& find_fault(const std::string& id);  // throws Error{usage} with the nearest id
/// Returns the fault "ID", or one of ranks "ID@3-2": at rank 3, with rank 2 as the other one. Without ranks it is at
/// rank 1, with rank 0 as the other.
[[nodiscard]] Fault placed_fault(const std::string& word);

}  // namespace parity::faults
