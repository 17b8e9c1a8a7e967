// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How ranks exchange tensors: one interface for threads of a process, processes (MPI) and devices (NCCL).
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "core/dtype.hpp"
#include "core/error.hpp"

namespace parity::ranks {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

/// The error of every other rank when one has failed: "rank 3 of 8 failed: out of memory".
class RankFailed : public Error {
 public:
  RankFailed(int rank, int size, const std::string& why)
      : Error(ErrorCode::internal, fmt::format("rank {} of {} failed: {}", rank, size, why)), rank_(rank) {}
  [[nodiscard]] int rank() const { return rank_; }

 private:
  int rank_;
};

/// What to say of an exception that ends a rank: its text, and where we are to blame the place.
[[nodiscard]] std::string reason_of(const std::exception& error);

/// Names the calling thread "parity rank 3", for debuggers and `top`; "parity" if it is no rank's (-1).
void name_thread(int rank);

/// The ranks as one of them sees them. Messages between two ranks are matched by their tag, not by their order; two
/// messages with the same tag arrive in the order in which they were sent.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Sends a copy of the bytes; does not wait for the receiver.
  virtual void send(int to, int tag, ConstBytes bytes) = 0;
  /// Waits for a message of exactly this many bytes. Throws RankFailed if a rank has failed or nothing came in time,
  /// and Error{internal} if the message has another length.
  virtual void receive(int from, int tag, Bytes bytes) = 0;
  /// Adds the values of all ranks of a group in place, in an order that only the engine knows. Returns false if it cannot:
  /// then all of them use send and receive. All call it with the same group and tag.
  virtual bool sum(std::span<const int> group, int tag, DType type, Bytes values) {
    static_cast<void>(group), static_cast<void>(tag), static_cast<void>(type), static_cast<void>(values);
    return false;
  }
  /// Tells all other ranks that this one cannot go on, and why. They throw RankFailed in what they wait for.
  virtual void fail(const std::string& why) noexcept = 0;
};

}  // namespace parity::ranks
