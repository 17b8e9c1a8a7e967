// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/replaced_folder.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.hpp"
#include "golden/files/on_disk.hpp"

namespace parity::golden {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecording = "activations.h5";
constexpr auto kReadable = fs::directory_options::skip_permission_denied;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw Error(ErrorCode::io, fmt::format("{}: cannot be replaced; {}", path.string(), std::strerror(error)));
}

void rename_or_fail(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail(to, errno);
}

/// Exchanges two folders: the old `target` is then at `made`.
void exchange(const fs::path& made, const fs::path& target) {
#ifdef RENAME_EXCHANGE
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != ENOSYS && errno != EINVAL) fail(target, errno);
#endif
  fs::path aside = made;  // without an exchange, there is no target for a moment, but never a mixture
  aside += ".old";
  rename_or_fail(target, aside);
  rename_or_fail(made, target);
  rename_or_fail(aside, made);
}

/// Gives files of others in the old folder, such as reports and notes, a second name in the new one. This is done before
/// the folders are exchanged: whoever is interrupted between two steps still has all of them. Returns the names of those
/// that can be neither linked nor read: they are moved afterwards.
std::vector<fs::path> keep_others(const fs::path& old, const fs::path& made) {
  constexpr auto kAll = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
  std::vector<fs::path> left;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(old, error)) {
    const fs::path name = entry.path().filename(), kept = made / name;
    if (name == kRecording || name == "checkpoint" || fs::exists(fs::symlink_status(kept, error))) continue;
    if (entry.is_directory(error) || entry.is_symlink(error)) {
      fs::copy(entry.path(), kept, kAll | fs::copy_options::create_hard_links, error);
    } else {
      fs::create_hard_link(entry.path(), kept, error);
    }
    if (!error) continue;
    fs::remove_all(kept, error);
    fs::copy(entry.path(), kept, kAll, error);  // a file system without hard links
    if (!error) continue;
    fs::remove_all(kept, error);
    left.push_back(name);
  }
  return left;
}

}  // namespace

ReplacedFolder::ReplacedFolder(const fs::path& target) {
  std::error_code error;
  const auto status = fs::status(target, error);
  PARITY_CHECK(!fs::exists(status) || fs::is_directory(status), usage, "{}: is not a folder; name another",
               target.string());
  const fs::path whole = fs::weakly_canonical(target, error);  // of a link, the folder to which it leads
  target_ = error ? target : whole;
  if (!target_.has_filename()) target_ = target_.parent_path();
  if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), error);
  PARITY_CHECK(!error, io, "{}: cannot be created; {}", target.string(), error.message());
  path_ = target_;
  path_ += fmt::format(".{}.tmp", getpid());
  unfinished_.emplace(path_);
  fs::create_directory(path_, error);
  PARITY_CHECK(!error, io, "{}: cannot be created; {}", path_.string(), error.message());
}

ReplacedFolder::~ReplacedFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void ReplacedFolder::commit() {
  const CleanUpWaits waits;  // else an interrupt would remove the new folder, and the old one after the exchange
  std::error_code error;
  if (fs::exists(target_ / kRecording, error)) {
    const std::vector<fs::path> left = keep_others(target_, path_);
    for (const auto& entry : fs::recursive_directory_iterator(path_, kReadable, error)) flush_to_disk(entry.path());
    flush_to_disk(path_);
    exchange(path_, target_);
    for (const fs::path& name : left) rename_or_fail(path_ / name, target_ / name);
    flush_to_disk(target_.parent_path());
    return;
  }
  if (!fs::exists(target_, error)) return rename_or_fail(path_, target_);
  const fs::path checkpoint = target_ / "checkpoint";
  if (fs::exists(checkpoint, error)) {
    exchange(path_ / "checkpoint", checkpoint);
  } else {
    rename_or_fail(path_ / "checkpoint", checkpoint);
  }
  rename_or_fail(path_ / kRecording, target_ / kRecording);
}

}  // namespace parity::golden
