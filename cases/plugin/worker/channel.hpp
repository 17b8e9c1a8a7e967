// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The worker's end of the socket to the judge (docs/plugins.md, the protocol).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity::worker {

class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}

  /// The next question, with descriptors that came along in `descriptors`. Nothing at the end of the socket.
  [[nodiscard]] std::optional<nlohmann::json> question(std::vector<int>& descriptors);
  void answer(const nlohmann::json& message) const;

 private:
  int socket_;
  std::string read_;
};

}  // namespace parity::worker
