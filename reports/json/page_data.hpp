// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The data of the HTML page: documents as --json writes them, with the records of a run in a short form.
#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity::reports {

/// Returns {"documents": […]}. In each golden of a run, `records` becomes
///   taps, components   names, in the order of their first use
///   rows               [tap, component, mode, status, layer, elements, failed, budget_used, relative_error, equal, flips]
///   details            the rest of a record, by the number of its row
/// and `left_out` says in words whose details are missing. As many details are kept as fit: the text of the result has
/// at most `longest` bytes, unless rows alone are longer.
[[nodiscard]] nlohmann::ordered_json page_data(const std::vector<nlohmann::ordered_json>& documents, size_t longest);

}  // namespace parity::reports
