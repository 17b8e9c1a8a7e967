// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Progress of long commands on stderr: one line that is drawn again and again, and gone when its work is done.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace parity::cli {

/// From the second second on "TITLE [####....] 12/33 where  14 s", also while nobody reports anything. Nothing when
/// stderr is no terminal, or `quiet`. Of several that are alive the newest one is shown.
class ProgressBar {
 public:
  explicit ProgressBar(std::string title, bool quiet = false);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(size_t done, size_t total, const std::string& where = {});
  /// What goes on now, where nobody counts.
  void note(const std::string& what);
  /// Clears the line before other output; the next report draws it again.
  void pause();

 private:
  friend void complain(const std::string& message);

  using Clock = std::chrono::steady_clock;

  void tick();
  void draw();  // with the lock held
  void clear();
  [[nodiscard]] std::string line() const;

  std::string title_, where_;
  size_t done_ = 0, total_ = 0;
  bool shown_;  // stderr is a terminal, and nobody asked for silence
  bool drawn_ = false, paused_ = false, ended_ = false;
  ProgressBar* outer_ = nullptr;  // the bar that this one hides
  Clock::time_point started_ = Clock::now(), last_ = started_;
  std::condition_variable wake_;
  std::thread ticker_;
};

/// "parity: <message>" on stderr, in one line whatever the message quotes.
void complain(const std::string& message);

}  // namespace parity::cli
