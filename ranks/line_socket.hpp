// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A connected socket that carries lines and never blocks.
#pragma once

#include <string>
#include <vector>

namespace parity::ranks {

class LineSocket {
 public:
  explicit LineSocket(int descriptor) : descriptor_(descriptor) {}
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;
  ~LineSocket();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Sends the line after those that could not be sent yet. `droppable`: not if there are such.
  void send(const std::string& line, bool droppable = false);
  /// Sends what could not be sent yet. Returns whether nothing is left.
  bool flush();
  /// The lines that have come. `ended` is set when the other side has closed the stream.
  [[nodiscard]] std::vector<std::string> lines(bool& ended);

 private:
  int descriptor_;
  std::string unsent_, unread_;
};

/// A socket on which others can connect, and its address as text.
struct Listener {
  int descriptor = -1;
  int port = 0;
};
/// `everywhere`: also from other machines.
[[nodiscard]] Listener listening(bool everywhere);
/// Throws Error{device} with the reason.
[[nodiscard]] int accepted(const Listener& listener);
[[nodiscard]] int connected_to(const std::string& host, int port);
/// Reads exactly this many bytes of a blocking socket, or writes them.
void read_whole(int descriptor, char* bytes, size_t count);
void write_whole(int descriptor, const char* bytes, size_t count);

}  // namespace parity::ranks
