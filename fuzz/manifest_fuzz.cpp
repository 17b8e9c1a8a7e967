// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The manifest of a run, which is written again as it was read.
#include "fuzz/fuzz.hpp"
#include "golden/files/temporary_folder.hpp"
#include "reports/files/manifest_file.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) {
  static const golden::TemporaryFolder folder;
  static const auto file = folder / "manifest.json";
  write_new(file, input);
  static_cast<void>(reports::manifest_text(reports::read_manifest(file)));
}

}  // namespace parity::fuzz
