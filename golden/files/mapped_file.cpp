// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/mapped_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"

namespace parity::golden {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // O_NONBLOCK: a pipe must not block
  if (file.number < 0) {
    const ErrorCode code = errno == ENOENT || errno == ENOTDIR ? ErrorCode::not_found : ErrorCode::io;
    throw Error(code, fmt::format("{}: cannot be opened for reading; {}", path.string(), std::strerror(errno)));
  }
  struct stat facts {};
  PARITY_CHECK(fstat(file.number, &facts) == 0, io, "{}: cannot read its size; {}", path.string(),
               std::strerror(errno));
  PARITY_CHECK(S_ISREG(facts.st_mode), io, "{}: not a regular file but a pipe, a folder or a device; name a file",
               path.string());
  if (facts.st_size == 0) return;  // mmap refuses an empty file
  const auto size = static_cast<size_t>(facts.st_size);
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  PARITY_CHECK(address != MAP_FAILED, io, "{}: cannot be mapped into memory; {}", path.string(), std::strerror(errno));
  bytes_ = {static_cast<std::byte*>(address), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

void MappedFile::release() const {
  if (!bytes_.empty()) madvise(bytes_.data(), bytes_.size(), MADV_DONTNEED);  // only advice: a failure costs memory
}

}  // namespace parity::golden
