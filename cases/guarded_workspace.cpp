// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/guarded_workspace.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace parity::cases {
namespace {

constexpr size_t kCanary = Workspace::kAlignment;  // minimal number of bytes on each side
constexpr std::byte kBeside{0xC9};                 // bytes that must not be overwritten
constexpr std::byte kRetired{0x9C};

}  // namespace

size_t GuardedWorkspace::Block::after() const { return kCanary + (kCanary - bytes % kCanary) % kCanary; }

std::byte* GuardedWorkspace::allocate(size_t bytes, size_t alignment) {
  const size_t before = std::max(kCanary, alignment);  // a multiple of the alignment, as both are powers of two
  Block block{nullptr, before, bytes};
  block.memory = place_.allocate(before + bytes + block.after(), alignment);
  place_.guard(block.memory.get(), before + bytes + block.after(), std::array{kBeside});
  place_.fill(block.data(), bytes, std::array{poison_});
  return blocks_.emplace_back(std::move(block)).data();
}

bool GuardedWorkspace::all(const std::byte* data, size_t bytes, std::byte value) const {
  std::vector<std::byte> now(bytes);
  place_.read(now.data(), data, bytes);
  return std::all_of(now.begin(), now.end(), [&](std::byte b) { return b == value; });
}

void GuardedWorkspace::retire() {
  for (const Block& block : blocks_) place_.fill(block.data(), block.bytes, std::array{kRetired});
}

std::string GuardedWorkspace::name(size_t block) const {
  return fmt::format("workspace block {} of {} bytes", block, blocks_[block].bytes);
}

std::optional<std::string> GuardedWorkspace::overrun() const {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const bool whole =
        all(block.memory.get(), block.before, kBeside) && all(block.data() + block.bytes, block.after(), kBeside);
    if (!whole) return "written outside " + name(i);
  }
  return std::nullopt;
}

std::optional<std::string> GuardedWorkspace::kept() const {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (!all(blocks_[i].data(), blocks_[i].bytes, kRetired)) return name(i) + " is written to after the call ended";
  }
  return std::nullopt;
}

}  // namespace parity::cases
