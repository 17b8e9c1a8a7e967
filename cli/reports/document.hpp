// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The JSON documents that --json writes for every command other than `run`.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace parity::cli {

/// Sets the command line that every document of this process names as its origin.
void remember_command(const std::string& command);
/// Files for other renderings of the document that this process writes; empty: none, "-": stdout.
struct Renderings {
  std::string html, sarif;
  std::vector<std::string> sources;  // COMPONENT=FILE, where SARIF's results are shown
};
void remember_renderings(const Renderings& files);
[[nodiscard]] const Renderings& renderings();
/// Writes the page and the SARIF log of `document`, where --html and --sarif ask for them.
void write_renderings(const nlohmann::ordered_json& document);
/// Whether a document is written for `path`, the value of --json, or for another rendering.
[[nodiscard]] bool wants_document(const std::string& path);
/// Writes `body` in the frame of `kind` with the verdict of `exit_code` (reports/document.hpp), unless `path` is empty.
/// Also writes its other renderings.
void write_document(const std::string& path, const std::string& kind, int exit_code,
                    const nlohmann::ordered_json& body);

}  // namespace parity::cli
