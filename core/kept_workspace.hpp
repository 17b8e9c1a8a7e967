// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Scratch memory that is used again by one call after another.
#pragma once

#include <vector>

#include "core/workspace.hpp"

namespace parity {

/// A workspace that, after rewind(), returns the blocks of earlier calls again, in the order in which they were taken.
/// A block that is too small is replaced by one from `memory`, which frees nothing before it is destroyed.
class KeptWorkspace final : public Workspace {
 public:
  explicit KeptWorkspace(Workspace& memory) : memory_(memory) {}
  void rewind() { next_ = 0; }
  /// Calls body(data, bytes) for every block.
  template <class Body>
  void for_each(const Body& body) const {
    for (const Block& block : blocks_) body(block.data, block.bytes);
  }

 private:
  struct Block {
    std::byte* data = nullptr;
    size_t bytes = 0, alignment = 0;
  };

  [[nodiscard]] std::byte* allocate(size_t bytes, size_t alignment) override {
    if (next_ == blocks_.size()) blocks_.emplace_back();
    Block& block = blocks_[next_++];
    if (block.data == nullptr || block.bytes < bytes || block.alignment < alignment)
      block = {memory_.take(bytes, alignment), bytes, alignment};
    return block.data;
  }

  Workspace& memory_;
  std::vector<Block> blocks_;
  size_t next_ = 0;
};

}  // namespace parity
