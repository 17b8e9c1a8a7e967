// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Patch embedding by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

/// A call with one patch: two channels, one frame, one row, two columns.
TestCall embed(const std::vector<double>& pixels, const std::vector<double>& weight) {
  const auto rows = static_cast<int64_t>(weight.size()) / 4;
  TestCall call("patch_embed");
  call.in("pixels", {1, 4}, pixels).in("weight", {rows, 2, 1, 1, 2}, weight).out("out", {1, rows});
  return call;
}

TEST(PatchEmbed, ReadsChannelsThenFramesThenRowsThenColumns) {
  TestCall call("patch_embed");
  std::vector<double> pixels(16, 0.0);
  pixels[8 + 4 + 2 + 1] = 1.0;  // channel 1, frame 1, row 1, column 1; two of each
  pixels[4] = 10.0;             // channel 0, frame 1
  std::vector<double> weight(16);
  for (size_t i = 0; i < 16; ++i) weight[i] = static_cast<double>(i);
  call.in("pixels", {1, 16}, pixels).in("weight", {1, 2, 2, 2, 2}, weight).out("out", {1, 1});

  EXPECT_EQ(call.exact().only("out"), 15.0 + 40.0);
}

TEST(PatchEmbed, AddsNoBias) { EXPECT_THAT(embed({0, 0, 0, 0}, {1, 2, 3, 4}).exact()["out"], ElementsAre(0)); }

TEST(PatchEmbed, CastsPixelsToTheWorkingTypeInEveryWalk) {
  const TestCall call = embed({257, 0, 0, 0}, {1, 1, 1, 1});  // 257 is not representable in bf16

  EXPECT_THAT(call.exact()["out"], ElementsAre(256));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(256));
  EXPECT_THAT(call.oracle(DType::f32)["out"], ElementsAre(257));
}

TEST(PatchEmbed, RoundsTheWholeSumOnce) {
  EXPECT_THAT(embed({256, 1, 1, 0}, {1, 1, 1, 1}).oracle(DType::bf16)["out"], ElementsAre(258));
}

TEST(PatchEmbed, RefusesPatchesOfAnotherSize) {
  TestCall call("patch_embed");
  call.in("pixels", {1, 3}, {1, 2, 3}).in("weight", {1, 2, 1, 1, 2}, {1, 1, 1, 1}).out("out", {1, 1});
  ErrorCode code{};

  EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }),
              ::testing::HasSubstr("patches have 3 values, but the weight has 4"));
  EXPECT_EQ(code, ErrorCode::schema);
}

}  // namespace
}  // namespace parity::reference
