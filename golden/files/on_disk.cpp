// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/on_disk.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.hpp"

namespace parity::golden {

void flush_to_disk(const std::filesystem::path& path) {
  const int file = open(path.empty() ? "." : path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = file >= 0 && (fsync(file) == 0 || errno == EINVAL || errno == EROFS);  // unsupported there
  const int error = errno;
  if (file >= 0) close(file);
  PARITY_CHECK(flushed, io, "{}: cannot be flushed to disk; {}", path.string(), std::strerror(error));
}

}  // namespace parity::golden
