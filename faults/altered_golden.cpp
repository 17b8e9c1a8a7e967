// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/altered_golden.hpp"

#include "golden/overwrite.hpp"

namespace parity::faults {

namespace fs = std::filesystem;

AlteredGolden::AlteredGolden(const golden::Golden& original, const std::map<std::string, Tensor>& values,
                             const std::vector<std::string>& absent) {
  const fs::path recording = path() / "activations.h5";
  if (fs::exists(original.checkpoint()))
    fs::create_directory_symlink(fs::absolute(original.checkpoint()), path() / "checkpoint");
  fs::copy_file(original.activations().path(), recording);
  fs::permissions(recording, fs::perms::owner_write, fs::perm_options::add);
  if (!values.empty()) golden::overwrite_datasets(recording, values);
  if (!absent.empty()) golden::remove_datasets(recording, absent);
}

}  // namespace parity::faults
