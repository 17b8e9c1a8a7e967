// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal/crash_message.hpp"

#include <algorithm>
#include <array>
#include <csignal>

#include <fmt/core.h>
#include <unistd.h>

namespace parity::cli {
namespace {

std::array<char, 512> g_words{};  // prepared in advance, because a signal handler may call little besides write()
volatile std::sig_atomic_t g_length = 0;

void say_and_die(int signal) {
  if (g_length > 0) static_cast<void>(!write(STDERR_FILENO, g_words.data(), static_cast<size_t>(g_length)));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void leave_last_words(const std::string& words) {
  g_length = 0;
  if (words.empty()) return;
  const std::string line = fmt::format("parity: crashed in {}\n", words);
  const size_t length = std::min(line.size(), g_words.size());
  std::copy_n(line.begin(), length, g_words.begin());
  g_length = static_cast<std::sig_atomic_t>(length);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, say_and_die);
}

}  // namespace parity::cli
