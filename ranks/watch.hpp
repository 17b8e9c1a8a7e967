// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Watches over ranks that are processes: a thread in each tells all others that it lives and for whom it waits, and ends
// the process when one of them has failed. MPI does not: a rank that waits for a dead one waits for ever.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ranks/communicator.hpp"
#include "ranks/line_socket.hpp"

namespace parity::ranks {

/// The streams between all processes, by rank; that to ourselves is empty.
using Mesh = std::vector<std::unique_ptr<LineSocket>>;
/// The texts of all processes (Transport::exchange).
using Exchange = std::function<std::vector<std::string>(const std::string& own)>;
/// Connects all processes with each other. Each calls it.
[[nodiscard]] Mesh connected(int rank, int size, const Exchange& exchange);

class Watch {
 public:
  struct Ends {
    std::function<void(const RankFailed&)> say;  // prints the line of this process
    std::function<void()> leave;                 // when all others have heard of it; ends the process, or returns
  };

  /// A rank that shows no progress for `patience` while others wait for it has failed. `ends` is called by the watching
  /// thread, whatever the others do.
  Watch(int rank, Mesh mesh, std::chrono::milliseconds patience, Ends ends);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  /// Parts in good order.
  ~Watch();

  /// This process waits for a message; `patient`: for the next order, which may take any time.
  void waits_for(int rank, bool patient);
  /// It waits no more.
  void goes_on();
  /// Throws RankFailed when a rank has failed and Ends::leave has returned.
  void require_all();
  /// Says that a rank (in general this one) has failed, and waits until Ends::leave has returned.
  void fail(int rank, const std::string& why) noexcept;
  /// From now on it is no failure if a process ends: the work is done.
  void part();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kComputes = -1;

  /// What is known of a process: of others, from their last beat.
  struct State {
    int waits_for = kComputes;
    bool patient = false;
    uint64_t progress = 0;        // how often it has begun or ended to wait
    Clock::time_point changed{};  // when progress last changed
    Clock::time_point heard{};    // of others
    bool parted = false, knows = false, gone = false;
  };

  void watch();
  void beat();
  void listen(std::chrono::milliseconds most);
  void forgive_own_pause(Clock::time_point last);
  void hear(int rank, const std::string& line);
  /// A process for which we have waited too long, and why it is to blame.
  [[nodiscard]] std::optional<std::pair<int, std::string>> late() const;
  /// The rank for which `rank` waits, in the end: one that does not wait itself, unless all wait for each other.
  [[nodiscard]] int blamed(int rank, Clock::time_point now) const;
  void end();
  void wake() const;

  const int rank_;
  const Mesh mesh_;
  const std::chrono::milliseconds patience_, period_;
  const Ends ends_;
  std::vector<State> states_;  // by rank; guarded by mutex_
  std::optional<std::pair<int, std::string>> failure_;
  std::mutex mutex_;
  std::condition_variable left_;
  bool has_left_ = false, parting_ = false;
  int wake_;  // an eventfd
  std::thread thread_;
};

}  // namespace parity::ranks
