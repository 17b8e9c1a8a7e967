// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal/standard_streams.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/terminal/progress.hpp"

namespace parity::cli {
namespace {

int g_lost = 0;  // errno of the first failed write to stdout

/// Writes all bytes. Returns 0, or errno of the write that failed.
int write_whole(int descriptor, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written == 0 ? EIO : errno;
    bytes += written;
    count -= static_cast<size_t>(written);
  }
  return 0;
}

#ifdef __GLIBC__
/// Writes to stdout and always reports success, because fmt throws at a failed write; g_lost keeps the error.
ssize_t write_result(void*, const char* bytes, size_t count) {
  if (g_lost == 0) g_lost = write_whole(STDOUT_FILENO, bytes, count);
  return static_cast<ssize_t>(count);
}

ssize_t write_progress(void*, const char* bytes, size_t count) {
  static_cast<void>(write_whole(STDERR_FILENO, bytes, count));
  return static_cast<ssize_t>(count);
}

std::FILE* stream_of(cookie_write_function_t* write, int buffering) {
  std::FILE* stream = fopencookie(nullptr, "w", {nullptr, write, nullptr, nullptr});
  if (stream != nullptr) std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

void replace_streams() {
  std::FILE* out = stream_of(&write_result, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF);
  std::FILE* err = stream_of(&write_progress, _IONBF);
  if (out != nullptr) stdout = out;
  if (err != nullptr) stderr = err;
}
#else
void replace_streams() {}
#endif

/// Opens closed descriptors on /dev/null. Later writes to a closed stdout then fail; writes to a closed stderr succeed.
void open_closed() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    static_cast<void>(open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR));  // takes the lowest free one
  }
}

}  // namespace

void guard_standard_streams() {
  open_closed();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  replace_streams();
}

bool streams_are_one() {
  struct stat out {
  }, err{};
  if (fstat(STDOUT_FILENO, &out) != 0 || fstat(STDERR_FILENO, &err) != 0) return false;
  return out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

int flushed(int code) {
  errno = 0;
  if (std::fflush(stdout) != 0 && g_lost == 0) g_lost = errno;
  if (g_lost == 0 || g_lost == EPIPE) return code;
  complain(fmt::format("cannot write standard output: {}; free disk space, or write the result with --json FILE",
                       std::strerror(g_lost)));
  return code == holds ? golden_damaged : code;
}

}  // namespace parity::cli
