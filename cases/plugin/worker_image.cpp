// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/worker_image.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "cases/plugin/worker_files.hpp"  // generated: the paths of what is held
#include "core/error.hpp"

// clang-format off
#define PARITY_HOLD(name, file)                                   \
  __asm__(".section .rodata\n"                                    \
          ".global parity_" #name "_begin, parity_" #name "_end\n" \
          "parity_" #name "_begin: .incbin \"" file "\"\n"        \
          "parity_" #name "_end: .byte 0\n"                       \
          ".previous\n");                                         \
  extern "C" const char parity_##name##_begin[], parity_##name##_end[]  // NOLINT
// clang-format on

PARITY_HOLD(worker, PARITY_WORKER_PROGRAM);
PARITY_HOLD(python_worker, PARITY_PYTHON_WORKER);
PARITY_HOLD(plugin_header, PARITY_PLUGIN_HEADER);

namespace parity::cases {
namespace {

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<size_t>(end - begin)}; }

std::string started_from_memory(std::string_view image) {
  const int file = memfd_create("parity-worker", MFD_CLOEXEC);
  PARITY_CHECK(file >= 0, device, "cannot allocate memory for the kernel's process; free some memory");
  for (size_t at = 0; at < image.size();) {
    const ssize_t count = write(file, image.data() + at, image.size() - at);
    PARITY_CHECK(count > 0, device, "cannot copy the program of the kernel's process to memory; free some memory");
    at += static_cast<size_t>(count);
  }
  return fmt::format("/proc/self/fd/{}", file);  // stays open as long as this program runs
}

}  // namespace

const std::string& worker_program() {
  static const std::string path = started_from_memory(between(parity_worker_begin, parity_worker_end));
  return path;
}

std::string_view python_worker() { return between(parity_python_worker_begin, parity_python_worker_end); }

std::string_view plugin_header() { return between(parity_plugin_header_begin, parity_plugin_header_end); }

}  // namespace parity::cases
