// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where the operands of one call lie in shared memory: each at the end of its own pages, with unused pages between them,
// so that an access outside of an operand meets a page that belongs to nobody, or bytes that are compared afterwards.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.hpp"

namespace parity::cases {

/// A view of host memory and its place in the arena.
struct PlacedView {
  std::string name;
  TensorView view;
  std::byte* begin = nullptr;  // of the view's bytes, from its first element to its last
  size_t bytes = 0;
  size_t start = 0;   // where `begin` is in the arena
  size_t offset = 0;  // where the first element is
};

class Arena {
 public:
  /// `shift`: pages left free at the start, by which two calls have different addresses.
  explicit Arena(size_t shift);

  void place(std::string name, const TensorView& view);
  [[nodiscard]] const std::vector<PlacedView>& views() const { return views_; }
  /// Bytes that the arena takes, with the gap at its end.
  [[nodiscard]] size_t bytes() const;
  /// Pages between the operands: offset and bytes.
  [[nodiscard]] const std::vector<std::pair<size_t, size_t>>& gaps() const { return gaps_; }

  /// Writes the operands to `memory`, and a fixed pattern (NaN in each type) to all other bytes of the arena.
  void fill(std::byte* memory) const;
  /// The operand next to which a byte of that pattern has changed, in words; nothing if all are as they were.
  [[nodiscard]] std::optional<std::string> overrun(const std::byte* memory) const;
  /// Copies the operands from `memory` to where they came from.
  void take(const std::byte* memory) const;
  /// The operand whose bytes in `memory` are no longer those of `before`, a copy of the arena; nothing if all are.
  [[nodiscard]] std::optional<std::string> changed(const std::byte* memory, const std::byte* before) const;

 private:
  size_t end_;
  std::vector<PlacedView> views_;
  std::vector<std::pair<size_t, size_t>> gaps_;
};

}  // namespace parity::cases
