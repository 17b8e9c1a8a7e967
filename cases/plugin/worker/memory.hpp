// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The judge's memory of operands, as a worker maps it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity::worker {

/// A mapping from its start. Pages of `gaps` cannot be accessed.
class Mapping {
 public:
  /// Takes the descriptor. Throws std::system_error.
  Mapping(int descriptor, size_t bytes, bool writable);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  [[nodiscard]] std::byte* at(size_t offset) const { return begin_ + offset; }
  /// `gaps` of a call: pairs of an offset and bytes. Those of the call before can be accessed again.
  void protect(const nlohmann::json& gaps);

 private:
  std::byte* begin_ = nullptr;
  size_t bytes_;
  int protection_;
  std::vector<std::pair<size_t, size_t>> closed_;
};

}  // namespace parity::worker
