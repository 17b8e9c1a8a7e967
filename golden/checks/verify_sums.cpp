// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/checks/value_checksum.hpp"
#include "golden/checks/verify_parts.hpp"
#include "golden/files/one_line.hpp"
#include "golden/files/sha256.hpp"

namespace parity::golden {

void verify_files(const ActivationFile& file, VerifyReport& report) {
  const std::string_view prefix = kFileSum;
  for (const auto& [name, recorded] : file.attributes()) {
    if (!name.starts_with(prefix)) continue;
    const std::filesystem::path part = name.substr(prefix.size());
    collect(report, "", [&] {
      const bool beside = part.parent_path() == "checkpoint" && part.filename() != "..";
      PARITY_CHECK(beside, schema, "attribute {} does not name a file of the checkpoint; record the golden again",
                   one_line(name));
      const auto path = file.path().parent_path() / part;
      PARITY_CHECK(sha256_of_file(path) == recorded, checksum,
                   "{}: its SHA-256 is not that of the recorded file; copy the golden again, or record it again",
                   path.string());
    });
  }
}

}  // namespace parity::golden
