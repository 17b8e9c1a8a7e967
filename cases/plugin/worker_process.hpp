// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A process that holds a kernel: started, asked with a time limit, stopped while its memory is read, and killed with
// all that it started.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cases/plugin/line_socket.hpp"
#include "golden/files/leftovers.hpp"

namespace parity::cases {

/// How workers of a kernel are made.
struct WorkerSource {
  std::vector<std::string> words;  // after the built-in worker's name: "library", "/tmp/k.so"
  int forks = -1;                  // instead: a socket to a running program, which forks (docs/plugins.md)
  /// Whether the worker may start processes of its own while it lives. What is left after a call is an error.
  bool starts_processes = false;
};

class WorkerProcess {
 public:
  /// Throws Error{device} if no process can be made.
  explicit WorkerProcess(const WorkerSource& source);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  /// Sends a question and returns the answer. After an error (FoundError: what the kernel's process did, with what it
  /// printed) the process is gone.
  nlohmann::json ask(const nlohmann::json& question, double timeout_s, std::span<const int> descriptors = {});
  /// Stops every thread of every process of the worker. Nothing writes to its memory until thaw().
  void freeze();
  void thaw();
  /// Waits until no thread runs any more, but not long: some libraries' threads wait busily.
  void settle() const;
  [[nodiscard]] int64_t threads() const;
  /// Processes that the worker started and that still run.
  [[nodiscard]] int64_t others() const;
  [[nodiscard]] bool lives() const { return group_.has_value(); }
  /// Seconds from the end of the last question to the start of its answer.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Kills it, and throws the reason as a FoundError with what it printed.
  [[noreturn]] void condemn(const std::string& reason);

 private:
  nlohmann::json answer_in(const std::string& line);
  /// How the process ended, in words, after it was killed if it still ran.
  std::string end();
  void kill_now();
  void drain();

  int forks_ = -1;
  bool starts_processes_ = false;
  pid_t process_ = -1;
  std::optional<golden::StartedGroup> group_;
  std::optional<LineSocket> socket_;
  int output_ = -1;
  std::string printed_;       // the last of it
  size_t printed_bytes_ = 0;  // since the last question
  double seconds_ = 0.0;
};

}  // namespace parity::cases
