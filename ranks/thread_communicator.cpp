// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/thread_communicator.hpp"

#include <algorithm>
#include <thread>

namespace parity::ranks {

void ThreadExchange::send(int from, int to, int tag, ConstBytes bytes) {
  PARITY_CHECK(to >= 0 && to < size_, internal, "rank {} sends to rank {} of {}", from, to, size_);
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
  throw RankFailed(failure_->first, fmt::format("rank {} of {} failed: {}", failure_->first, size_, failure_->second));
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

void run_threads(int size, std::chrono::milliseconds timeout, const std::function<void(Communicator&)>& body) {
  ThreadExchange exchange(size, timeout);
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> errors(static_cast<size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadCommunicator communicator(exchange, rank);
      try {
        body(communicator);
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(rank)] = std::current_exception();
        communicator.fail(error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto failure = exchange.failure();
  if (!failure) return;
  const std::exception_ptr& own = errors[static_cast<size_t>(failure->first)];
  if (own) {
    with_context(fmt::format("rank {} of {}", failure->first, size), [&] { std::rethrow_exception(own); });
  }
  throw RankFailed(failure->first, fmt::format("rank {} of {} failed: {}", failure->first, size, failure->second));
}

}  // namespace parity::ranks
