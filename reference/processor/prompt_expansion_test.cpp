// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Prompts by hand: special tokens I, V, < and >; a space is token 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int64_t> bytes(const std::string& text) {
  std::vector<int64_t> result;
  for (const char c : text) result.push_back(static_cast<unsigned char>(c));
  return result;
}

TestCall prompt(const std::string& text, int64_t expanded, int64_t tokens) {
  TestCall call("prompt_expansion");
  const std::string special("I\0V\0<\0>", 7);
  call.ids("prompt", {static_cast<int64_t>(text.size())}, bytes(text)).ids("special_text", {7}, bytes(special));
  call.ids("special_ids", {4}, {96, 97, 98, 99});
  return call.out("expanded", {expanded}).out("ids", {tokens}).out("types", {tokens});
}

std::string text_of(const TestOutputs& made) {
  std::string text;
  for (const int64_t byte : made.ids("expanded")) text += static_cast<char>(byte);
  return text;
}

TEST(PromptExpansion, GivesEveryImageItsOwnPlaceholders) {
  TestCall call = prompt("I I", 9, 9);
  const TestOutputs made = call.ids("image_grid", {2, 3}, {1, 2, 4, 1, 2, 4}).exact();

  EXPECT_EQ(text_of(made), "<II> <II>");
  EXPECT_THAT(made.ids("ids"), ElementsAre(98, 96, 96, 99, 1, 98, 96, 96, 99));
  EXPECT_THAT(made.ids("types"), ElementsAre(0, 1, 1, 0, 0, 0, 1, 1, 0));
}

TEST(PromptExpansion, WithoutTimesAVideoIsItsTemporalPatches) {
  TestCall call = prompt("V", 6, 6);
  const TestOutputs made = call.ids("video_grid", {1, 3}, {2, 2, 2}).exact();

  EXPECT_EQ(text_of(made), "<V><V>");
  EXPECT_THAT(made.ids("types"), ElementsAre(0, 2, 0, 0, 2, 0));
}

/// The expanded timestamps of a video with `patches` temporal patches.
std::string times(double fps, const std::vector<int64_t>& frames, int64_t patches, int64_t length) {
  TestCall call("prompt_expansion");
  const std::string special("I\0V\0{\0}", 7);
  call.ids("prompt", {1}, bytes("V"))
      .ids("special_text", {7}, bytes(special))
      .ids("special_ids", {4}, {96, 97, 98, 99});
  call.ids("video_grid", {1, 3}, {patches, 2, 2}).in("video_fps", {}, {fps});
  call.ids("video_frames", {static_cast<int64_t>(frames.size())}, frames);
  return text_of(call.out("expanded", {length}).out("ids", {length}).exact());
}

TEST(PromptExpansion, Trap27PrintsTheTimeOfEveryOtherFrame) {
  EXPECT_EQ(times(3.0, {0, 1, 2, 3, 4}, 3, 60), "]<]0.0 seconds[>[{V}]<]0.7 seconds[>[{V}]<]1.3 seconds[>[{V}");
}

TEST(PromptExpansion, Trap27RoundsTimesAsPythonPrintsThem) {
  EXPECT_EQ(times(4.0, {1}, 1, 20), "]<]0.2 seconds[>[{V}");   // 0.25, a tie
  EXPECT_EQ(times(4.0, {3}, 1, 20), "]<]0.8 seconds[>[{V}");   // 0.75
  EXPECT_EQ(times(20.0, {3}, 1, 20), "]<]0.1 seconds[>[{V}");  // 0.15 is a little less in binary
}

TEST(PromptExpansion, TimesGoOnThroughTheSegmentsOfAVideo) {
  TestCall call("prompt_expansion");
  const std::string special("I\0V\0{\0}", 7);
  call.ids("prompt", {2}, bytes("VV"))
      .ids("special_text", {7}, bytes(special))
      .ids("special_ids", {4}, {96, 97, 98, 99});
  call.ids("video_grid", {3, 3}, {1, 2, 2, 1, 2, 2, 1, 2, 2}).ids("video_chunks", {2}, {2, 1});
  for (int video = 0; video < 2; ++video) call.in("video_fps", {}, {1.0}).ids("video_frames", {4}, {0, 1, 2, 3});

  EXPECT_EQ(text_of(call.out("expanded", {60}).out("ids", {60}).exact()),
            "]<]0.0 seconds[>[{V}]<]2.0 seconds[>[{V}]<]0.0 seconds[>[{V}");
}

TEST(PromptExpansion, BeyondItsListOfFramesAVideoKeepsTheLast) {
  EXPECT_EQ(times(1.0, {2, 7}, 2, 40), "]<]2.0 seconds[>[{V}]<]7.0 seconds[>[{V}");
}

TEST(PromptExpansion, TokensAreCharactersAndWhatIsNotAsciiIsUnknown) {
  const TestOutputs made = prompt("a~\xC3\xA9\n\n!", 7, 5).exact();

  EXPECT_THAT(made.ids("ids"), ElementsAre(66, 95, 0, 0, 2));
}

TEST(PromptExpansion, RefusesMarkersWithoutAMedium) {
  const TestCall call = prompt("II", 2, 2);
  ErrorCode code{};
  EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }),
              HasSubstr("the prompt has 2 image markers, but there are 0 grids"));
  EXPECT_EQ(code, ErrorCode::schema);
}

TEST(PromptExpansion, SaysWhatLengthItMakes) {
  TestCall call = prompt("I", 3, 3);
  call.ids("image_grid", {1, 3}, {1, 2, 4});
  ErrorCode code{};
  EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }), HasSubstr("expands to 4 bytes, but 3 are recorded"));
}

TEST(PromptExpansion, RefusesAGridThatWouldTakeAllMemory) {
  TestCall call = prompt("I", 4, 4);
  call.ids("image_grid", {1, 3}, {int64_t{1} << 62, int64_t{1} << 62, 4});
  ErrorCode code{};
  EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }), HasSubstr("more than the 1280 of the recorded prompt"));
  EXPECT_EQ(code, ErrorCode::schema);
}

TEST(PromptExpansion, RefusesAVideoOfEndlessFrames) {
  TestCall call = prompt("V", 4, 4);
  call.ids("video_grid", {1, 3}, {int64_t{1} << 40, 2, 2});
  ErrorCode code{};
  EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }), HasSubstr("the golden is damaged"));
}

TEST(PromptExpansion, RefusesToMergeNoPatches) {
  TestCall call = prompt("I", 4, 4);
  call.ids("image_grid", {1, 3}, {1, 2, 4}).param("merge", int64_t{0});
  ErrorCode code{};
  EXPECT_THAT(error_of(code, [&] { (void)call.exact(); }), HasSubstr("merge 0 and temporal 2 must be positive"));
}

}  // namespace
}  // namespace parity::reference
