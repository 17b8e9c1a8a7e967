// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Splice by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kImage = 8;
constexpr int64_t kVideo = 9;

/// A splice into two rows of three tokens with one channel, whose embeddings are 1 to 6.
TestCall splice(const std::vector<int64_t>& ids) {
  TestCall call("splice");
  call.in("x", {2, 3, 1}, {1, 2, 3, 4, 5, 6})
      .ids("ids", {2, 3}, ids)
      .param("image_token", kImage)
      .param("video_token", kVideo)
      .out("out", {2, 3, 1});
  return call;
}

TEST(Splice, FillsPlaceholdersRowByRow) {
  TestCall call = splice({0, kImage, 0, kImage, kImage, 0});
  call.in("image", {3, 1}, {10, 20, 30});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 10, 3, 20, 30, 6));
}

TEST(Splice, ImagesAndVideosCountOnTheirOwn) {
  TestCall call = splice({kVideo, kImage, 0, 0, kVideo, kImage});
  call.in("image", {2, 1}, {10, 20}).in("video", {2, 1}, {70, 80});

  EXPECT_THAT(call.exact()["out"], ElementsAre(70, 10, 3, 4, 80, 20));
}

TEST(Splice, TokensWithoutFeaturesOfTheirKindKeepTheirEmbedding) {
  TestCall call = splice({0, kImage, kVideo, 0, 0, 0});
  call.in("image", {1, 1}, {10});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 10, 3, 4, 5, 6));
}

TEST(Splice, RefusesMoreOrFewerTokensThanFeatures) {
  ErrorCode code{};
  TestCall fewer = splice({0, kImage, 0, 0, 0, 0});
  fewer.in("image", {2, 1}, {10, 20});
  TestCall more = splice({kVideo, kVideo, 0, 0, 0, 0});
  more.in("video", {1, 1}, {10});

  EXPECT_THAT(error_of(code, [&] { (void)fewer.exact(); }), HasSubstr("1 image tokens (id 8), but 2 rows"));
  EXPECT_EQ(code, ErrorCode::schema);
  EXPECT_THAT(error_of(code, [&] { (void)more.exact(); }), HasSubstr("2 video tokens (id 9), but 1 rows"));
}

}  // namespace
}  // namespace parity::reference
