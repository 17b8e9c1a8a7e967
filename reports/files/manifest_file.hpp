// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The file of a manifest: {"schema_version", "goldens": {NAME: {"status", "judged": {MODES: {COMPONENT or GLOB:
// least}}}}}. MODES is one mode, or several with equal counts: "isolated+chained".
#pragma once

#include <filesystem>
#include <string>

#include "compare/goldens/manifest.hpp"

namespace parity::reports {

/// Reads a manifest. Error{not_found} or Error{schema} names the file and the place in it.
[[nodiscard]] compare::Manifest read_manifest(const std::filesystem::path& path);
/// Returns the text of a manifest. Modes of a golden with equal counts share one line.
[[nodiscard]] std::string manifest_text(const compare::Manifest& manifest);

}  // namespace parity::reports
