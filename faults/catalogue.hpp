// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The fault catalogue, compiled in from faults/catalogue/<topic>/<component>.json, and from
// faults/catalogue/ranks/<component>.json for models that are divided among ranks.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faults/edits/fault.hpp"

namespace parity::faults {

/// Parses one file: [{"id", "title", "component", "at", "edits": [...]}, …]. Error{schema} names file, fault and key.
[[nodiscard]] std::vector<Fault> parse_faults(std::string_view json, const std::string& file);

using CatalogueFile = std::pair<std::string_view, std::string_view>;  // path, text
/// Parses files that are named like the component of their faults. Error{schema} also for an id that occurs twice.
[[nodiscard]] std::vector<Fault> read_catalogue(const std::vector<CatalogueFile>& files);

/// Returns all faults of one process, by topic and component. Their ids are unique.
[[nodiscard]] const std::vector<Fault>& catalogue();
/// Returns the faults of models that are divided among ranks. Their places are open (at_ranks).
[[nodiscard]] const std::vector<Fault>& rank_catalogue();
[[nodiscard]] const Fault& find_fault(const std::string& id);  // throws Error{usage} with the nearest id
/// Returns the fault "ID", or one of ranks "ID@3-2": at rank 3, with rank 2 as the other one. Without ranks it is at
/// rank 1, with rank 0 as the other.
[[nodiscard]] Fault placed_fault(const std::string& word);

}  // namespace parity::faults
