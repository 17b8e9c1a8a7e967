// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/guarded_workspace.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

namespace parity::cases {
namespace {

constexpr size_t kCanary = Workspace::kAlignment;  // bytes, at least, on each side
constexpr std::byte kBeside{0xC9};                 // what nobody may touch
constexpr std::byte kRetired{0x9C};

bool all(const std::byte* data, size_t bytes, std::byte value) {
  return std::all_of(data, data + bytes, [&](std::byte b) { return b == value; });
}

}  // namespace

size_t GuardedWorkspace::Block::behind() const { return kCanary + (kCanary - bytes % kCanary) % kCanary; }

std::byte* GuardedWorkspace::allocate(size_t bytes, size_t alignment) {
  const size_t before = std::max(kCanary, alignment);  // a multiple of the alignment: both are powers of two
  Block block{AlignedBytes(before + bytes + 2 * kCanary, alignment), before, bytes};
  std::memset(block.memory.data(), static_cast<int>(kBeside), before + bytes + block.behind());
  std::memset(block.data(), static_cast<int>(poison_), bytes);
  return blocks_.emplace_back(std::move(block)).data();
}

void GuardedWorkspace::retire() {
  for (const Block& block : blocks_) std::memset(block.data(), static_cast<int>(kRetired), block.bytes);
}

std::string GuardedWorkspace::name(size_t block) const {
  return fmt::format("workspace block {} of {} bytes", block, blocks_[block].bytes);
}

std::optional<std::string> GuardedWorkspace::overrun() const {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const bool whole =
        all(block.memory.data(), block.before, kBeside) && all(block.data() + block.bytes, block.behind(), kBeside);
    if (!whole) return "written beside " + name(i);
  }
  return std::nullopt;
}

std::optional<std::string> GuardedWorkspace::kept() const {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (!all(blocks_[i].data(), blocks_[i].bytes, kRetired)) return name(i) + " is written after its call was over";
  }
  return std::nullopt;
}

}  // namespace parity::cases
