// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The file of accepted deviations, which is written again as it was read.
#include "fuzz/fuzz.hpp"
#include "golden/files/temporary_folder.hpp"
#include "reports/files/accepted_file.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) {
  static const golden::TemporaryFolder folder;
  static const auto file = folder / "accepted.json";
  write_new(file, input);
  static_cast<void>(reports::accepted_text(reports::read_accepted(file)));
}

}  // namespace parity::fuzz
