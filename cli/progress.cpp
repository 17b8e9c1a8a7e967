// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/progress.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>
#include <unistd.h>

#include "golden/one_line.hpp"

namespace parity::cli {

ProgressBar::ProgressBar(std::string title, bool quiet)
    : title_(std::move(title)),
      bar_(isatty(STDERR_FILENO) == 1),
      silent_(quiet),
      last_(std::chrono::steady_clock::now()) {
  if (!silent_ && !bar_) fmt::print(stderr, "judging {}\n", title_);
}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

void ProgressBar::update(size_t done, size_t total, const std::string& where) {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  const auto now = std::chrono::steady_clock::now();
  if (silent_ || !bar_ || now - last_ < kInterval) return;
  last_ = now;
  constexpr size_t kWidth = 24;
  const size_t filled = total == 0 ? 0 : kWidth * done / total;
  fmt::print(stderr, "\r\033[K{} [{}{}] {}/{} {}", title_, std::string(filled, '#'), std::string(kWidth - filled, '.'),
             done, total, where);
  std::fflush(stderr);
  drawn_ = true;
}

void complain(const std::string& message) {
  constexpr size_t kLongest = 600;
  fmt::print(stderr, "parity: {}\n", golden::one_line(message, kLongest));
}

bool colour_wanted() {
  const char* refused = std::getenv("NO_COLOR");  // an empty value does not count (no-color.org)
  return isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

}  // namespace parity::cli
