// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Size rule, grids and pixels of the processors by hand; a name with "Trap" is a common error of implementations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int64_t> sized(int64_t height, int64_t width, int64_t least = 3136, int64_t most = 451584,
                           bool whole_side = false) {
  TestCall call("smart_resize");
  call.ids("in", {1, 5}, {height, width, 28, least, most}).out("out", {1, 2}).out("error", {1});
  const TestOutputs made = call.param("whole_side", whole_side).exact();
  EXPECT_EQ(made.ids("error").front() == 1, made.ids("out").front() == -1);
  return made.ids("out");
}

TEST(SmartResize, Trap28RoundsHalvesToTheEvenMultiple) {
  EXPECT_THAT(sized(42, 70), ElementsAre(56, 56));     // 1.5 and 2.5 factors
  EXPECT_THAT(sized(98, 126), ElementsAre(112, 112));  // 3.5 and 4.5
}

TEST(SmartResize, ScalesDownWithFloorsAndUpWithCeilings) {
  EXPECT_THAT(sized(1000, 1000), ElementsAre(672, 672));
  EXPECT_THAT(sized(120, 90, 3136, 6272), ElementsAre(84, 56));
  EXPECT_THAT(sized(20, 31), ElementsAre(56, 84));
}

TEST(SmartResize, MayLoseAWholeSideUnlessTold) {
  EXPECT_THAT(sized(28, 5000, 3136, 50176), ElementsAre(0, 2968));
  EXPECT_THAT(sized(28, 5000, 3136, 50176, true), ElementsAre(28, 2968));
}

TEST(SmartResize, QwensRuleRoundsASideToNothingBeforeItScales) {
  EXPECT_THAT(sized(10, 400), ElementsAre(28, 392));
  EXPECT_THAT(sized(10, 400, 3136, 451584, true), ElementsAre(28, 364));
}

TEST(SmartResize, RefusesSidesOfMoreThanTwoHundredToOne) {
  EXPECT_THAT(sized(10, 2001), Each(-1));
  EXPECT_THAT(sized(1, 201), Each(-1));
  EXPECT_THAT(sized(1, 200), ::testing::Not(::testing::Contains(-1)));
  EXPECT_THAT(sized(0, 5), Each(-1));
}

TEST(MediaGrid, Trap27PadsFramesAndLeavesVideosTheirSize) {
  TestCall call("media_grid");
  call.ids("sizes", {2, 3}, {5, 56, 84, 1, 28, 28}).param("resize", false).out("grid", {2, 3});
  EXPECT_THAT(call.exact().ids("grid"), ElementsAre(3, 4, 6, 1, 2, 2));

  TestCall image("media_grid");
  image.ids("sizes", {1, 2}, {42, 70}).out("grid", {1, 3});
  EXPECT_THAT(image.exact().ids("grid"), ElementsAre(1, 4, 4));
}

TEST(MediaGrid, Trap27ResizedTheSameVideoHasAnotherGrid) {
  TestCall call("media_grid");
  call.ids("sizes", {1, 3}, {1, 28, 28}).param("resize", true).out("grid", {1, 3});
  EXPECT_THAT(call.exact().ids("grid"), ElementsAre(1, 4, 4));
}

TEST(MediaGrid, WritesVideosInSegmentsAndCountsTheirTokens) {
  TestCall call("media_grid");
  call.ids("sizes", {2, 3}, {11, 28, 56, 2, 28, 28}).param("resize", false).param("segment", int64_t{4});
  const TestOutputs made = call.out("grid", {3, 3}).out("tokens", {2}).out("chunks", {2}).exact();

  EXPECT_THAT(made.ids("grid"), ElementsAre(4, 2, 4, 2, 2, 4, 1, 2, 2));
  EXPECT_THAT(made.ids("tokens"), ElementsAre(12, 1));
  EXPECT_THAT(made.ids("chunks"), ElementsAre(2, 1));
}

TEST(MediaGrid, FlagsWhatTheSizeRuleRefusesOrLoses) {
  TestCall call("media_grid");
  call.ids("sizes", {3, 2}, {1, 201, 28, 5000, 28, 84}).param("most_pixels", int64_t{50176});
  const TestOutputs made =
      call.out("grid", {3, 3}).out("tokens", {3}).out("error", {3}).param("marks_refused", true).exact();

  EXPECT_THAT(made.ids("grid"), ElementsAre(-1, -1, -1, -1, -1, -1, 1, 4, 8));
  EXPECT_THAT(made.ids("tokens"), ElementsAre(-1, -1, 8));
  EXPECT_THAT(made.ids("error"), ElementsAre(1, 1, 0));

  ErrorCode code{};
  EXPECT_THAT(error_of(code, [&] { (void)call.param("marks_refused", false).exact(); }),
              HasSubstr("image or video 0 (1 frames of 1 x 201 pixels)"));
  EXPECT_EQ(code, ErrorCode::schema);
}

TEST(MediaGrid, RefusesAnotherNumberOfRows) {
  for (const int64_t rows : {1, 3}) {
    TestCall call("media_grid");
    call.ids("sizes", {2, 2}, {56, 56, 56, 56}).out("grid", {rows, 3});
    ErrorCode code{};
    EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }), HasSubstr("rows of grids"));
    EXPECT_EQ(code, ErrorCode::schema);
  }
}

TEST(MediaGrid, RefusesAVideoThatIsNoMultiple) {
  TestCall call("media_grid");
  call.ids("sizes", {1, 3}, {2, 50, 84}).param("resize", false).out("grid", {1, 3});
  ErrorCode code{};
  EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }),
              HasSubstr("50 x 84 pixels is not resized, so its sides must be multiples of 28"));
  EXPECT_EQ(code, ErrorCode::schema);
}

std::vector<int64_t> resized(const Shape& from, const std::vector<int64_t>& pixels, const Shape& to) {
  TestCall call("resize_bicubic");
  return call.ids("image", from, pixels).out("out", to).exact().ids("out");
}

TEST(ResizeBicubic, KeepsAnImageOfTheSameSizeAndAConstantOne) {
  EXPECT_THAT(resized({1, 2, 3}, {0, 255, 7, 1, 128, 254}, {1, 2, 3}), ElementsAre(0, 255, 7, 1, 128, 254));
  EXPECT_THAT(resized({1, 3, 2}, {200, 200, 200, 200, 200, 200}, {1, 7, 5}), Each(200));
}

TEST(ResizeBicubic, OvershootsAndIsClamped) {
  // As torch 2.11.0 for this line.
  EXPECT_THAT(resized({1, 1, 4}, {0, 0, 255, 255}, {1, 1, 8}), ElementsAre(0, 0, 0, 52, 203, 255, 255, 255));
}

TEST(ResizeBicubic, SmoothsWhereItShrinks) {
  EXPECT_THAT(resized({1, 1, 8}, {0, 255, 0, 255, 0, 255, 0, 255}, {1, 1, 3}), ElementsAre(112, 127, 143));
}

TEST(ResizeBicubic, Trap29HasWeightsOf16BitsWherePillowHasMore) {
  // As torchvision 0.26.0; Pillow gives 66 as the last value.
  EXPECT_THAT(resized({1, 1, 4}, {210, 75, 174, 70}, {1, 1, 5}), ElementsAre(216, 106, 123, 152, 65));
}

TEST(ResizeBicubic, Trap29RoundsToPixelsBetweenRowsAndColumns) {
  // As torch 2.11.0; in binary32 without the rounding between the two passes, the ninth value is 156.
  EXPECT_THAT(resized({1, 3, 3}, {200, 51, 220, 29, 207, 68, 153, 86, 171}, {1, 3, 4}),
              ElementsAre(208, 95, 104, 229, 20, 150, 168, 61, 157, 105, 113, 175));
  EXPECT_THAT(resized({1, 3, 3}, {10, 200, 30, 255, 0, 90, 17, 181, 240}, {1, 2, 2}), ElementsAre(114, 73, 107, 162));
}

TestCall patches(int64_t frames) {
  TestCall call("patchify");
  std::vector<int64_t> pixels;
  for (int64_t i = 0; i < frames * 8; ++i) pixels.push_back(i);
  call.ids("image", {frames, 2, 4}, pixels).param("channels", int64_t{1}).param("patch", int64_t{1});
  for (const char* mean : {"mean_red", "mean_green", "mean_blue"}) call.param(mean, 0.0);
  for (const char* deviation : {"std_red", "std_green", "std_blue"}) call.param(deviation, 1.0 / 255.0);
  return call.out("values", {(frames + 1) / 2 * 8, 2}).out("grid", {1, 3});
}

TEST(Patchify, Trap23OrdersMergeBlocksAndRepeatsAnImagesFrame) {
  const TestOutputs made = patches(1).exact();

  EXPECT_THAT(made["values"], ElementsAre(0, 0, 1, 1, 4, 4, 5, 5, 2, 2, 3, 3, 6, 6, 7, 7));
  EXPECT_THAT(made.ids("grid"), ElementsAre(1, 2, 4));
}

TEST(Patchify, Trap27PairsFramesAndRepeatsOnlyTheLastOfAnOddNumber) {
  const TestOutputs made = patches(3).exact();

  EXPECT_EQ(made["values"][1], 8.0);    // second frame of the first pair
  EXPECT_EQ(made["values"][16], 16.0);  // third frame
  EXPECT_EQ(made["values"][17], 16.0);  // the third frame, repeated
  EXPECT_THAT(made.ids("grid"), ElementsAre(2, 2, 4));
}

TEST(Patchify, RoundsConstantsBeforeTheyAreUsed) {
  TestCall call("patchify");
  call.ids("image", {3, 2, 2}, std::vector<int64_t>(12, 7)).param("patch", int64_t{1});
  const TestOutputs made = call.out("values", {4, 6}).out("grid", {1, 3}).exact();

  const float mean = 0.48145466F * 255.0F;
  const float deviation = 0.26862954F * 255.0F;
  EXPECT_EQ(made["values"][0], static_cast<double>((7.0F - mean) / deviation));
}

TEST(Patchify, WritesItsGridInSegments) {
  TestCall call = patches(5).param("segment", int64_t{2}).out("grid", {2, 3});

  EXPECT_THAT(call.exact().ids("grid"), ElementsAre(2, 2, 4, 1, 2, 4));
}

TEST(Patchify, RefusesPixelsThatFillNoPatch) {
  TestCall call("patchify");
  call.ids("image", {3, 3, 2}, std::vector<int64_t>(18, 7)).param("patch", int64_t{1});
  call.out("values", {4, 6}).out("grid", {1, 3});
  ErrorCode code{};
  EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }), HasSubstr("3 x 2 pixels are not multiples of 2"));
}

}  // namespace
}  // namespace parity::reference
