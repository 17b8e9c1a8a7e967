// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a library that starts and connects processes (MPI) has to offer: who we are, and bytes from one to another.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace parity::ranks {

/// All functions are called by one thread, the one that made the object.
class Transport {
 public:
  struct Message {
    int from = -1;  // no message
    std::vector<std::byte> bytes;
  };

  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Starts to send a copy of `head` and `body` as one message. Messages from one process to another keep their order.
  virtual void send(int to, std::span<const std::byte> head, std::span<const std::byte> body) = 0;
  /// A message that has arrived, without waiting for one.
  [[nodiscard]] virtual Message poll() = 0;
  /// The texts of all processes. Each of them calls it; it waits for all.
  [[nodiscard]] virtual std::vector<std::string> exchange(const std::string& own) = 0;
  /// Leaves the others in good order, when all have done what they were started for. Waits for them.
  virtual void finish() = 0;
  /// "Open MPI 4.1.4"
  [[nodiscard]] virtual std::string version() const = 0;
};

}  // namespace parity::ranks
