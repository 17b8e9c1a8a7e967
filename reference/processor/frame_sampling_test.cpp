// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sampled frames by hand and as torch 2.11.0 computes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

struct Sampled {
  std::vector<int64_t> indices;
  int64_t error;
};

Sampled sampled(int64_t total, int64_t count, double source, double wanted, int64_t most, bool whole_numbers = false,
                bool at_least_one = false) {
  TestCall call("frame_sampling");
  call.ids("frames", {1, 2}, {total, count}).in("rates", {1, 2}, {source, wanted});
  call.param("whole_numbers", whole_numbers).param("at_least_one", at_least_one);
  const TestOutputs made = call.out("indices", {1, most}).out("error", {1}).exact();
  return {made.ids("indices"), made.ids("error").front()};
}

TEST(FrameSampling, SpreadsFramesFromTheFirst) {
  EXPECT_THAT(sampled(10, 4, 0, 0, 5).indices, ElementsAre(0, 2, 5, 7, -1));
  EXPECT_THAT(sampled(60, 0, 29.97, 1.5, 3).indices, ElementsAre(0, 20, 40));  // 3.003 frames
  EXPECT_THAT(sampled(60, 0, 29.97, 1.5, 3, true).indices, ElementsAre(0, 20, 40));
}

TEST(FrameSampling, ARoundedStepAddsAFrameThatTheVideoDoesNotHave) {
  EXPECT_THAT(sampled(15, 13, 0, 0, 14).indices, ElementsAre(0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 15));
  EXPECT_THAT(sampled(15, 13, 0, 0, 14, true).indices, ElementsAre(0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, -1));
}

TEST(FrameSampling, AddsStepsInVectorsOfEight) {
  // As torch 2.11.0; a single product in binary32 would give 2270.
  EXPECT_EQ(sampled(5110, 5101, 0, 0, 5102).indices[2267], 2271);
}

TEST(FrameSampling, RefusesMoreFramesThanThereAreAndNone) {
  EXPECT_EQ(sampled(5, 6, 0, 0, 6).error, 1);
  EXPECT_THAT(sampled(5, 6, 0, 0, 6).indices, Each(-1));
  EXPECT_EQ(sampled(7, 0, 25.0, 1.0, 6).error, 1);
}

TEST(FrameSampling, ByWholeNumbersNoneIsNoErrorUnlessOneIsTheLeast) {
  EXPECT_THAT(sampled(7, 0, 25.0, 1.0, 2, true).indices, ElementsAre(-1, -1));
  EXPECT_EQ(sampled(7, 0, 25.0, 1.0, 2, true).error, 0);
  EXPECT_THAT(sampled(7, 0, 25.0, 1.0, 2, true, true).indices, ElementsAre(0, -1));
}

}  // namespace
}  // namespace parity::reference
