// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal/progress.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <system_error>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/terminal/terminal.hpp"
#include "golden/files/one_line.hpp"
#include "reports/text/format.hpp"
#include "reports/text/wrap.hpp"

namespace parity::cli {
namespace {

std::mutex g_mutex;              // guards every bar and the terminal's line
ProgressBar* g_shown = nullptr;  // the newest bar
std::atomic<bool> g_silent = false;

/// Writes to stderr and ignores errors: a closed terminal must not fail the command.
void put(const std::string& text) { static_cast<void>(!write(STDERR_FILENO, text.data(), text.size())); }

}  // namespace

ProgressBar::ProgressBar(std::string title, bool quiet)
    : title_(std::move(title)), shown_(!quiet && isatty(STDERR_FILENO) == 1) {
  if (!shown_) return;
  const std::lock_guard lock(g_mutex);
  outer_ = g_shown;
  if (outer_ != nullptr) outer_->clear();
  g_shown = this;
  try {
    ticker_ = std::thread([this] { tick(); });
  } catch (const std::system_error&) {  // without a thread, the bar is drawn only at updates
  }
}

ProgressBar::~ProgressBar() {
  if (!shown_) return;
  {
    const std::lock_guard lock(g_mutex);
    ended_ = true;
    clear();
    if (g_shown == this) g_shown = outer_;
  }
  wake_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void ProgressBar::tick() {
  constexpr auto kFirst = std::chrono::seconds(1), kNext = std::chrono::seconds(1);
  std::unique_lock lock(g_mutex);
  for (auto wait = kFirst; !wake_.wait_for(lock, wait, [this] { return ended_; }); wait = kNext) draw();
}

void ProgressBar::update(size_t done, size_t total, const std::string& where) {
  if (!shown_) return;
  const std::lock_guard lock(g_mutex);
  done_ = done;
  total_ = total;
  where_ = reports::plain(where);
  paused_ = false;
  constexpr auto kInterval = std::chrono::milliseconds(100);
  constexpr auto kQuick = std::chrono::milliseconds(500);  // shorter work shows no bar
  const auto now = Clock::now();
  if (now - started_ >= kQuick && now - last_ >= kInterval) draw();
}

void ProgressBar::note(const std::string& what) { update(done_, total_, what); }

void ProgressBar::pause() {
  if (!shown_) return;
  const std::lock_guard lock(g_mutex);
  clear();
  paused_ = true;
}

std::string ProgressBar::line() const {
  constexpr size_t kWidth = 24;
  std::string text = title_;
  if (total_ > 0) {
    const size_t filled = std::min(kWidth, kWidth * done_ / total_);
    text += fmt::format(" [{}{}] {}/{}", std::string(filled, '#'), std::string(kWidth - filled, '.'), done_, total_);
  }
  if (!where_.empty()) text += " " + where_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - started_).count();
  const std::string time = seconds < 1 ? "" : fmt::format("  {} s", seconds);
  const size_t room = terminal_width(STDERR_FILENO) - 1 - time.size();
  return reports::shortened(text, room) + time;
}

void ProgressBar::draw() {
  if (g_shown != this || paused_ || ended_) return;
  put("\r\033[K" + line());
  last_ = Clock::now();
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) put("\r\033[K");
  drawn_ = false;
}

void complain(const std::string& message) {
  constexpr size_t kLongest = 600;
  if (g_silent) return;
  {
    const std::lock_guard lock(g_mutex);
    if (g_shown != nullptr) g_shown->clear();
  }
  fmt::print(stderr, "parity: {}\n", golden::one_line(message, kLongest));
}

void be_silent(bool silent) { g_silent = silent; }

}  // namespace parity::cli
