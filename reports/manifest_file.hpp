// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The file of a manifest: {"schema_version", "goldens": {NAME: {"status", "judged": {MODES: {COMPONENT or GLOB: least}}}}}.
// MODES are one or several with the same counts, "isolated+chained".
#pragma once

#include <filesystem>
#include <string>

#include "compare/manifest.hpp"

namespace parity::reports {

/// Error{not_found} or Error{schema} names the file and the place in it.
[[nodiscard]] compare::Manifest read_manifest(const std::filesystem::path& path);
/// One line for what the modes of a golden have in common.
[[nodiscard]] std::string manifest_text(const compare::Manifest& manifest);

}  // namespace parity::reports
