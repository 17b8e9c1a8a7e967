// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/shipped.hpp"

namespace parity {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

fs::path shipped(const fs::path& path) {
  std::error_code error;
  if (path.empty() || path.is_absolute() || fs::exists(path, error)) return path;
  const fs::path installed = (program_folder() / "../share/parity" / path).lexically_normal();
  return fs::exists(installed, error) ? installed : path;
}

}  // namespace parity
