// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counts what one rank sends through any communicator.
#pragma once

#include <map>
#include <utility>

#include "ranks/communicator.hpp"

namespace parity::ranks {

class CountingCommunicator final : public Communicator {
 public:
  struct Sent {
    int64_t messages = 0, bytes = 0;
  };

  /// `counted` must outlive this object.
  explicit CountingCommunicator(Communicator& counted) : counted_(counted) {}

  [[nodiscard]] int rank() const override { return counted_.rank(); }
  [[nodiscard]] int size() const override { return counted_.size(); }
  void send(int to, int tag, ConstBytes bytes) override {
    counted_.send(to, tag, bytes);
    Sent& sent = sent_[{tag, to}];
    ++sent.messages;
    sent.bytes += static_cast<int64_t>(bytes.size());
  }
  void receive(int from, int tag, Bytes bytes) override { counted_.receive(from, tag, bytes); }
  bool sum(std::span<const int> group, int tag, DType type, Bytes values) override {
    return counted_.sum(group, tag, type, values);
  }
  void fail(const std::string& why) noexcept override { counted_.fail(why); }

  /// What was sent, by tag and receiver.
  [[nodiscard]] const std::map<std::pair<int, int>, Sent>& sent() const { return sent_; }

 private:
  Communicator& counted_;
  std::map<std::pair<int, int>, Sent> sent_;
};

}  // namespace parity::ranks
