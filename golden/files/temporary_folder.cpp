// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"

namespace parity::golden {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  const CleanUpWaits until_noted;
  std::string name = (fs::temp_directory_path() / "parity-XXXXXX").string();
  PARITY_CHECK(mkdtemp(name.data()) != nullptr, io, "{}: cannot be created ({}); set TMPDIR to a writable folder", name,
               std::strerror(errno));
  path_ = name;
  unfinished_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // destructors never throw
  fs::remove_all(path_, ignored);
}

}  // namespace parity::golden
