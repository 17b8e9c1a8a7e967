// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Ranks that are processes: a transport moves their messages, a watch ends them when one of them has failed.
#pragma once

#include <deque>
#include <map>
#include <utility>

#include "ranks/transport.hpp"
#include "ranks/watch.hpp"

namespace parity::ranks {

class ProcessCommunicator final : public Communicator {
 public:
  /// The tag of messages for which a rank waits as long as it takes.
  static constexpr int kOrders = -1;

  ProcessCommunicator(Transport& transport, Watch& watch) : transport_(transport), watch_(watch) {}

  [[nodiscard]] int rank() const override { return transport_.rank(); }
  [[nodiscard]] int size() const override { return transport_.size(); }
  void send(int to, int tag, ConstBytes bytes) override;
  void receive(int from, int tag, Bytes bytes) override;
  void fail(const std::string& why) noexcept override { watch_.fail(rank(), why); }

 private:
  using Key = std::pair<int, int>;  // from, tag

  void collect(std::deque<std::vector<std::byte>>& awaited);

  Transport& transport_;
  Watch& watch_;
  std::map<Key, std::deque<std::vector<std::byte>>> messages_;  // that nobody has asked for yet
};

}  // namespace parity::ranks
