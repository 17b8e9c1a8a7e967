// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shows the progress of long commands as one line on stderr, which is redrawn and finally removed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace parity::cli {

/// Draws "TITLE [####....] 12/33 where  14 s" once work takes longer than half a second, also between updates. Nothing
/// is drawn when stderr is no terminal or `quiet` is set. If several bars exist, only the newest one is drawn.
class ProgressBar {
 public:
  explicit ProgressBar(std::string title, bool quiet = false);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(size_t done, size_t total, const std::string& where = {});
  /// Shows `what` as the current work, where no count is available.
  void note(const std::string& what);
  /// Clears the line before other output; the next update draws it again.
  void pause();

 private:
  friend void complain(const std::string& message);

  using Clock = std::chrono::steady_clock;

  void tick();
  void draw();  // call with g_mutex held
  void clear();
  [[nodiscard]] std::string line() const;

  std::string title_, where_;
  size_t done_ = 0, total_ = 0;
  bool shown_;  // stderr is a terminal and `quiet` is not set
  bool drawn_ = false, paused_ = false, ended_ = false;
  ProgressBar* outer_ = nullptr;  // the older bar that this one hides
  Clock::time_point started_ = Clock::now(), last_ = started_;
  std::condition_variable wake_;
  std::thread ticker_;
};

/// Prints "parity: <message>" on stderr, in one line even if the message quotes line breaks.
void complain(const std::string& message);
/// Whether complain() prints nothing: one of several processes speaks for all.
void be_silent(bool silent);

}  // namespace parity::cli
