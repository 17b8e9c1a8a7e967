// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Ranks with a GPU each, whose sums NCCL adds. Their other messages, and the first contact, are those of other ranks.
#pragma once

#include <map>
#include <vector>

#include "core/place.hpp"
#include "ranks/communicator.hpp"

namespace parity::ranks {

class NcclCommunicator final : public Communicator {
 public:
  /// `gpu` is this rank's own. Throws Error{device} where there is no NCCL.
  NcclCommunicator(Communicator& others, Place& gpu);
  ~NcclCommunicator() override;

  [[nodiscard]] int rank() const override { return others_.rank(); }
  [[nodiscard]] int size() const override { return others_.size(); }
  void send(int to, int tag, ConstBytes bytes) override { others_.send(to, tag, bytes); }
  void receive(int from, int tag, Bytes bytes) override { others_.receive(from, tag, bytes); }
  void fail(const std::string& why) noexcept override { others_.fail(why); }
  bool sum(std::span<const int> group, int tag, DType type, Bytes values) override;

 private:
  /// NCCL's handle of a group, made by its first sum.
  void* joined(std::span<const int> group, int tag);

  Communicator& others_;
  Place& gpu_;
  std::map<std::vector<int>, void*> groups_;
};

}  // namespace parity::ranks
