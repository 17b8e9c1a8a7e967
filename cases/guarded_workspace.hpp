// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Scratch memory that shows what a kernel does with it: poisoned blocks between canaries, watched after the call too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/workspace.hpp"

namespace parity::cases {

class GuardedWorkspace final : public Workspace {
 public:
  /// Every byte of every block holds `poison` when the kernel takes it.
  explicit GuardedWorkspace(std::byte poison) : poison_(poison) {}

  /// The call is over: blocks are nobody's, and get other bytes, by which later use of them shows.
  void retire();
  [[nodiscard]] size_t blocks() const { return blocks_.size(); }
  /// The first block beside which something was written, in words.
  [[nodiscard]] std::optional<std::string> overrun() const;
  /// The first block that was written after its call was over.
  [[nodiscard]] std::optional<std::string> kept() const;

 private:
  struct Block {
    AlignedBytes memory;
    size_t before, bytes;  // canaries in front; behind, to the next multiple of 64 and 64 more
    [[nodiscard]] std::byte* data() const { return memory.data() + before; }
    [[nodiscard]] size_t behind() const;
  };
  [[nodiscard]] std::byte* allocate(size_t bytes, size_t alignment) override;
  [[nodiscard]] std::string name(size_t block) const;

  std::byte poison_;
  std::vector<Block> blocks_;
};

}  // namespace parity::cases
