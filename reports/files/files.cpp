// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/files/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/error.hpp"
#include "golden/files/temporary_file.hpp"

namespace parity::reports {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::io,
              fmt::format("cannot write {}: {}; name another file, or - for the standard output", path, reason));
}

void write_all(std::FILE* file, const std::string& path, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (!written || std::fflush(file) != 0) fail(path, std::strerror(errno));
}

/// Writes `text` to `path`. Messages name `shown` instead of the temporary file.
void write_file(const fs::path& path, const std::string& shown, std::string_view text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (!file) fail(shown, std::strerror(errno));
  write_all(file.get(), shown, text);
}

/// Returns the file to write for `path`. Follows a link, because renaming would replace it. Creates the folder, so that
/// the result of a long run is not lost.
fs::path prepared(const std::string& path) {
  try {
    fs::path target = fs::exists(path) ? fs::canonical(path) : fs::path(path);
    if (target.has_parent_path()) fs::create_directories(target.parent_path());
    return target;
  } catch (const fs::filesystem_error& error) {
    fail(path, error.code().message());
  }
}

}  // namespace

void write_text_atomically(const std::string& path, std::string_view text) {
  if (path == "-") return write_all(stdout, "standard output", text);
  const fs::path target = prepared(path);
  if (fs::is_directory(target)) fail(path, "it is a folder");
  if (fs::exists(target) && !fs::is_regular_file(target)) return write_file(target, path, text);  // /dev/null, a pipe
  golden::TemporaryFile temporary(target);
  write_file(temporary.path(), path, text);
  temporary.commit();
}

void check_writable(const std::string& path) {
  if (path == "-") return;
  const fs::path target = prepared(path);
  if (fs::is_directory(target)) fail(path, "it is a folder");
  if (fs::exists(target) && !fs::is_regular_file(target)) return;  // opening a pipe would wait for its reader
  const golden::TemporaryFile temporary(target);                   // removed unless committed
  write_file(temporary.path(), path, "");
}

}  // namespace parity::reports
