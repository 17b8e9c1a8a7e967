// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Findings as SARIF 2.1.0, which code hosts show beside the lines of a kernel's source.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace parity::reports {

/// Returns the source file of a candidate's kernel of a component, relative to the root of the repository; "": unknown.
using SourceOf = std::function<std::string(const std::string& candidate, const std::string& component)>;

/// Returns the SARIF log of a run's report or of a battery's document, as --json writes them. A result is a tap that
/// fails on the golden's own inputs, a failing component of a battery, or a finding of the PTX machine, which names its
/// line. Where no source is known, a result points at the golden or at the kernel's file. At most 1000 results.
[[nodiscard]] nlohmann::ordered_json sarif(const nlohmann::ordered_json& document, const SourceOf& source_of);
[[nodiscard]] std::string sarif_text(const nlohmann::ordered_json& document, const SourceOf& source_of);

}  // namespace parity::reports
