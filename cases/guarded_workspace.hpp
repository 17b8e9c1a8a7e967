// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Scratch memory that shows what a kernel does with it: poisoned blocks between canaries, watched after the call too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/workspace.hpp"

namespace parity::cases {

class GuardedWorkspace final : public Workspace {
 public:
  /// Every byte of every block holds `poison` when the kernel takes it.
  explicit GuardedWorkspace(std::byte poison, Place& place = host()) : poison_(poison), place_(place) {}

  /// The call is over: the kernel owns no block any more. They get other bytes, so that later use of them shows.
  void retire();
  [[nodiscard]] size_t blocks() const { return blocks_.size(); }
  /// The first block beside which something was written, in words.
  [[nodiscard]] std::optional<std::string> overrun() const;
  /// The first block that was written after its call was over.
  [[nodiscard]] std::optional<std::string> kept() const;

 private:
  struct Block {
    std::shared_ptr<std::byte[]> memory;
    size_t before, bytes;  // canaries before the block; after it, to the next multiple of 64 and 64 more
    [[nodiscard]] std::byte* data() const { return memory.get() + before; }
    [[nodiscard]] size_t after() const;
  };
  [[nodiscard]] std::byte* allocate(size_t bytes, size_t alignment) override;
  [[nodiscard]] std::string name(size_t block) const;
  [[nodiscard]] bool all(const std::byte* data, size_t bytes, std::byte value) const;

  std::byte poison_;
  Place& place_;
  std::vector<Block> blocks_;
};

}  // namespace parity::cases
