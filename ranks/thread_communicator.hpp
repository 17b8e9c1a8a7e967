// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "ranks/communicator.hpp"

namespace parity::ranks {

/// What the threads share: messages under way, and the first failure.
class ThreadExchange {
 public:
  ThreadExchange(int size, std::chrono::milliseconds timeout) : size_(size), timeout_(timeout) {}

  [[nodiscard]] int size() const { return size_; }
  void send(int from, int to, int tag, ConstBytes bytes);
  void receive(int from, int to, int tag, Bytes bytes);
  void fail(int rank, const std::string& why) noexcept;
  /// The first rank that failed, and why.
  [[nodiscard]] std::optional<std::pair<int, std::string>> failure() const;

 private:
  using Key = std::tuple<int, int, int>;  // from, to, tag

  /// The rank for which `from` waits, in the end: one that does not wait itself, unless all wait for each other.
  [[nodiscard]] int culprit(int from) const;

  int size_;
  std::chrono::milliseconds timeout_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Key, std::deque<std::vector<std::byte>>> messages_;
  std::map<int, int> waits_for_;  // by rank
  std::optional<std::pair<int, std::string>> failure_;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(ThreadExchange& exchange, int rank) : exchange_(exchange), rank_(rank) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return exchange_.size(); }
  void send(int to, int tag, ConstBytes bytes) override { exchange_.send(rank_, to, tag, bytes); }
  void receive(int from, int tag, Bytes bytes) override { exchange_.receive(from, rank_, tag, bytes); }
  void fail(const std::string& why) noexcept override { exchange_.fail(rank_, why); }

 private:
  ThreadExchange& exchange_;
  int rank_;
};

/// What happens if a rank hangs, after the other ranks have ended: a thread cannot be ended from outside, so the process
/// has to end. It must not return.
using Hung = std::function<void(const RankFailed&)>;
/// Prints the line and ends the process with exit code 1.
[[noreturn]] void end_process(const RankFailed& failure);

/// Runs `body` once per rank, each on a thread of its own, and waits for all. If a body throws, the other ranks end
/// with RankFailed, and the first failure is thrown here: an Error that says what is missing or unsupported with the
/// number of the rank before it, everything else as RankFailed. A rank on which others wait for three quarters of
/// `timeout` has failed.
void run_threads(int size, std::chrono::milliseconds timeout, const std::function<void(Communicator&)>& body,
                 const Hung& hung = &end_process);

}  // namespace parity::ranks
