// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Scratch memory that records misuse: poisoned blocks between canaries, also checked after the call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/workspace.hpp"

namespace parity::cases {

class GuardedWorkspace final : public Workspace {
 public:
  /// Fills every byte of every block with `poison` when the kernel takes the block.
  explicit GuardedWorkspace(std::byte poison, Place& place = host()) : poison_(poison), place_(place) {}

  /// Ends the call: the kernel no longer owns any block. Refills the blocks, so that later use is detected.
  void retire();
  [[nodiscard]] size_t blocks() const { return blocks_.size(); }
  /// Describes the first block with an overwritten canary.
  [[nodiscard]] std::optional<std::string> overrun() const;
  /// Describes the first block that was written after its call ended.
  [[nodiscard]] std::optional<std::string> kept() const;

 private:
  struct Block {
    std::shared_ptr<std::byte[]> memory;
    size_t before, bytes;  // canaries before it; those after extend to the next multiple of 64 and 64 more
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
