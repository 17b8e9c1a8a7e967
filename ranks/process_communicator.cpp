// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/process_communicator.hpp"

#include <algorithm>
#include <cstring>

namespace parity::ranks {
namespace {

struct Head {
  int32_t tag = 0;
};

/// Between two looks for a message: short at first, then longer, as several ranks may share a processor.
class Pause {
 public:
  void wait() {
    constexpr int kYields = 50;
    constexpr std::chrono::microseconds kLongest{1000};
    if (looks_++ < kYields) return std::this_thread::yield();
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(pause_ * 2, kLongest);
  }

 private:
  int looks_ = 0;
  std::chrono::microseconds pause_{20};
};

}  // namespace

void ProcessCommunicator::send(int to, int tag, ConstBytes bytes) {
  PARITY_CHECK(to >= 0 && to < size(), internal, "rank {} cannot send to rank {}, because there are {} ranks", rank(),
               to, size());
  if (to == rank()) {
    messages_[{to, tag}].emplace_back(bytes.begin(), bytes.end());
    return;
  }
  const Head head{tag};
  transport_.send(to, std::as_bytes(std::span(&head, 1)), bytes);
}

/// Files what arrives, until there is something in `awaited`.
void ProcessCommunicator::collect(std::deque<std::vector<std::byte>>& awaited) {
  Pause pause;
  while (awaited.empty()) {
    Transport::Message message = transport_.poll();
    if (message.from < 0) {
      watch_.require_all();
      pause.wait();
      continue;
    }
    Head head;
    PARITY_CHECK(message.bytes.size() >= sizeof head, internal, "rank {} sent a message without a header",
                 message.from);
    std::memcpy(&head, message.bytes.data(), sizeof head);
    message.bytes.erase(message.bytes.begin(), message.bytes.begin() + sizeof head);
    messages_[{message.from, head.tag}].push_back(std::move(message.bytes));
  }
}

void ProcessCommunicator::receive(int from, int tag, Bytes bytes) {
  PARITY_CHECK(from >= 0 && from < size(), internal, "rank {} cannot wait for rank {}, because there are {} ranks",
               rank(), from, size());
  auto& queue = messages_[{from, tag}];
  if (queue.empty()) {
    watch_.waits_for(from, tag == kOrders);
    collect(queue);
    watch_.goes_on();
  }
  const std::vector<std::byte> message = std::move(queue.front());
  queue.pop_front();
  PARITY_CHECK(message.size() == bytes.size(), internal, "rank {} sent {} bytes to rank {}, which expects {}", from,
               message.size(), rank(), bytes.size());
  std::copy(message.begin(), message.end(), bytes.begin());
}

}  // namespace parity::ranks
