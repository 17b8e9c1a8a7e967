// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/thread_communicator.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace parity::ranks {

void ThreadExchange::send(int from, int to, int tag, ConstBytes bytes) {
  PARITY_CHECK(to >= 0 && to < size_, internal, "rank {} cannot send to rank {}, because there are {} ranks", from, to,
               size_);
  const std::scoped_lock lock(mutex_);
  messages_[{from, to, tag}].emplace_back(bytes.begin(), bytes.end());
  arrived_.notify_all();
}

void ThreadExchange::receive(int from, int to, int tag, Bytes bytes) {
  std::unique_lock lock(mutex_);
  auto& queue = messages_[{from, to, tag}];
  waits_for_[to] = from;
  const bool in_time = arrived_.wait_for(lock, timeout_, [&] { return failure_ || !queue.empty(); });
  if (!in_time && !failure_)
    failure_ = {culprit(from), fmt::format("it has not sent what others wait for, for {} ms", timeout_.count())};
  waits_for_.erase(to);
  if (!queue.empty()) {
    const std::vector<std::byte> message = std::move(queue.front());
    queue.pop_front();
    PARITY_CHECK(message.size() == bytes.size(), internal, "rank {} sent {} bytes to rank {}, which expects {}", from,
                 message.size(), to, bytes.size());
    std::copy(message.begin(), message.end(), bytes.begin());
    return;
  }
  arrived_.notify_all();
  throw RankFailed(failure_->first, size_, failure_->second);
}

int ThreadExchange::culprit(int from) const {
  for (int steps = 0; steps < size_; ++steps) {
    const auto waits = waits_for_.find(from);
    if (waits == waits_for_.end()) break;
    from = waits->second;
  }
  return from;
}

void ThreadExchange::fail(int rank, const std::string& why) noexcept {
  const std::scoped_lock lock(mutex_);
  if (!failure_) failure_ = {rank, why};
  arrived_.notify_all();
}

std::optional<std::pair<int, std::string>> ThreadExchange::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

void end_process(const RankFailed& failure) {
  fmt::print(stderr, "parity: {}\n", failure.what());
  std::_Exit(1);
}

namespace {

/// The threads of the ranks, and what they threw.
class Team {
 public:
  Team(ThreadExchange& exchange, const std::function<void(Communicator&)>& body)
      : exchange_(exchange), errors_(static_cast<size_t>(exchange.size())) {
    threads_.reserve(errors_.size());
    for (int rank = 0; rank < exchange.size() && start(body, rank); ++rank) {}
  }

  /// Waits until all have ended, but after a failure for no longer than `grace`. Returns whether all have.
  bool wait(std::chrono::milliseconds grace) {
    std::unique_lock lock(mutex_);
    const auto all = [&] { return ended_ == threads_.size(); };
    constexpr std::chrono::milliseconds kLook{20};
    while (!all() && !exchange_.failure()) changed_.wait_for(lock, kLook);
    return changed_.wait_for(lock, grace, all);
  }

  void join() {
    for (std::thread& thread : threads_) thread.join();
  }

  [[nodiscard]] const std::exception_ptr& error_of(int rank) const { return errors_[static_cast<size_t>(rank)]; }

 private:
  /// Without memory for a thread its rank has failed: those that have started end as after any failure.
  bool start(const std::function<void(Communicator&)>& body, int rank) {
    try {
      threads_.emplace_back([this, &body, rank] { run(body, rank); });
      return true;
    } catch (const std::exception&) {
      exchange_.fail(rank, "its thread cannot be started");
      return false;
    }
  }

  void run(const std::function<void(Communicator&)>& body, int rank) {
    ThreadCommunicator communicator(exchange_, rank);
    name_thread(rank);
    try {
      body(communicator);
    } catch (const std::exception& error) {
      errors_[static_cast<size_t>(rank)] = std::current_exception();
      communicator.fail(reason_of(error));
    }
    const std::scoped_lock lock(mutex_);
    ++ended_;
    changed_.notify_all();
  }

  ThreadExchange& exchange_;
  std::vector<std::exception_ptr> errors_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t ended_ = 0;
  std::vector<std::thread> threads_;
};

/// Throws on what the user can change as it is: a missing file, an unsupported model.
void rethrow_refusal(const std::exception_ptr& thrown, const std::string& rank) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::internal) throw error.within(rank);
  } catch (const std::exception&) {  // thrown as RankFailed
  }
}

}  // namespace

void run_threads(int size, std::chrono::milliseconds timeout, const std::function<void(Communicator&)>& body,
                 const Hung& hung) {
  ThreadExchange exchange(size, timeout * 3 / 4);
  Team team(exchange, body);
  const bool ended = team.wait(timeout / 8);
  const auto failure = exchange.failure();
  if (!ended) hung(RankFailed(failure->first, size, failure->second));
  team.join();
  if (!failure) return;
  rethrow_refusal(team.error_of(failure->first), fmt::format("rank {} of {}", failure->first, size));
  throw RankFailed(failure->first, size, failure->second);
}

}  // namespace parity::ranks
