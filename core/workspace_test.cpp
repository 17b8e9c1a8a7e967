// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Scratch memory: available without set-up, aligned, in blocks that do not overlap.
#include "core/workspace.hpp"

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "core/component.hpp"

namespace parity {
namespace {

TEST(Workspace, IsThereWithoutSetUp) {
  const Context context;

  auto* sums = context.workspace->take_elements<double>(3);
  sums[0] = sums[1] = sums[2] = 1.5;

  EXPECT_EQ(sums[0] + sums[1] + sums[2], 4.5);
}

TEST(Workspace, GivesEveryContextItsOwn) { EXPECT_NE(Context().workspace, Context().workspace); }

TEST(Workspace, AlignsAsItIsAsked) {
  PlaceWorkspace workspace;

  for (const size_t alignment : {1U, 8U, 64U, 4096U}) {
    const auto address = reinterpret_cast<uintptr_t>(workspace.take(3, alignment));
    EXPECT_EQ(address % alignment, 0U) << alignment;
  }
  EXPECT_THROW(static_cast<void>(workspace.take(3, 48)), Error) << "no power of two";
  EXPECT_THROW(static_cast<void>(workspace.take(3, 0)), Error);
}

TEST(Workspace, GivesBlocksOfTheirOwnThatStay) {
  PlaceWorkspace workspace;
  std::byte* first = workspace.take(100);
  std::memset(first, 1, 100);
  for (int i = 0; i < 50; ++i) std::memset(workspace.take(1000), 2, 1000);

  EXPECT_EQ(first[0], std::byte{1});
  EXPECT_EQ(first[99], std::byte{1});
  EXPECT_NE(workspace.take(0), nullptr);
}

}  // namespace
}  // namespace parity
