// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Patch merger by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PatchMerge, PutsConsecutivePatchesSideBySide) {
  TestCall call("patch_merge");
  call.in("x", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}).out("out", {2, 4});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(PatchMerge, KeepsPatchesBeforeChannels) {
  TestCall call("patch_merge");
  call.in("x", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}).out("out", {1, 8});

  EXPECT_EQ(call.exact()["out"][2], 3.0);  // channel 0 of patch 1
}

TEST(PatchMerge, RefusesIncompleteBlocks) {
  TestCall call("patch_merge");
  call.in("x", {3, 2}, {1, 2, 3, 4, 5, 6}).out("out", {2, 4});
  ErrorCode code{};

  EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }), HasSubstr("3 patches of 2 channels cannot be merged"));
  EXPECT_EQ(code, ErrorCode::schema);
}

}  // namespace
}  // namespace parity::reference
