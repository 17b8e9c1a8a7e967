// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The judge's end of a socket to a worker: lines of text, with descriptors, that never block the judge.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace parity::cases {

class LineSocket {
 public:
  /// Takes the descriptor, which it makes non-blocking.
  explicit LineSocket(int descriptor);
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;
  ~LineSocket();

  /// Both ends of a new pair, closed on exec. Error{device} if there are none.
  [[nodiscard]] static std::array<int, 2> pair();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Sends what it can of the text and returns how much that was; the descriptors go with its first byte.
  [[nodiscard]] size_t send(std::string_view text, std::span<const int> descriptors) const;
  enum class State : unsigned char { open, closed, too_long };
  /// Reads what is there.
  [[nodiscard]] State receive();
  /// The next whole line, if there is one.
  [[nodiscard]] std::optional<std::string> line();
  /// Whether anything came that no line() took.
  [[nodiscard]] bool has_rest() const { return !read_.empty(); }

 private:
  int descriptor_;
  std::string read_;
};

}  // namespace parity::cases
