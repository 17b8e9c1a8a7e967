// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/temporary_file.hpp"

#include <atomic>
#include <utility>

#include <unistd.h>

#include "core/error.hpp"
#include "golden/files/on_disk.hpp"

namespace parity::golden {

TemporaryFile::TemporaryFile(std::filesystem::path target) : target_(std::move(target)) {
  static std::atomic<int> number{0};
  path_ = target_;
  path_ += fmt::format(".{}-{}.tmp", getpid(), number++);  // in the folder of the target, so that the rename is atomic
  unfinished_ = std::make_unique<UnfinishedPath>(path_);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})),
      unfinished_(std::move(other.unfinished_)) {}

TemporaryFile::~TemporaryFile() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void TemporaryFile::commit() {
  std::error_code error;
  if (std::filesystem::exists(target_, error))
    flush_to_disk(path_);  // a crash may lose the new content, but not the old
  std::filesystem::rename(path_, target_, error);
  PARITY_CHECK(!error, io, "cannot rename the finished file to {}; {}", target_.string(), error.message());
  path_.clear();
}

}  // namespace parity::golden
