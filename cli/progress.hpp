// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Progress of long runs on stderr: a bar on a terminal, a plain line per golden elsewhere.
#pragma once

#include <chrono>
#include <string>

namespace parity::cli {

class ProgressBar {
 public:
  ProgressBar(std::string title, bool quiet);
  ~ProgressBar();
  void update(size_t done, size_t total, const std::string& where);

 private:
  void clear();

  std::string title_;
  bool bar_;  // stderr is a terminal
  bool silent_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

/// "parity: <message>" on stderr, in one line whatever the message quotes.
void complain(const std::string& message);

/// stdout is a terminal and NO_COLOR is not set, or empty.
[[nodiscard]] bool colour_wanted();

}  // namespace parity::cli
