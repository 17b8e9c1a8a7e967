// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shapes of the processors' plan, and what it refuses.
#include "core/plans/m3_processor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace parity {
namespace {

using testing::HasSubstr;

Plan plan_of(const RawMedium& medium, const nlohmann::json& config = nlohmann::json::object(),
             const std::string& profile = "hf-5.12.0") {
  ProcessorRequest request;
  request.profile = profile;
  (medium.shape.size() == 4 ? request.videos : request.images) = {medium};
  return build_m3_processor_plan(config, request);
}

template <class Body>
std::string refusal(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(M3Processor, ImagesAreResizedToTheSizeRule) {
  const Plan plan = plan_of({"00", {3, 120, 90}, true, 6272});

  EXPECT_EQ(plan.tap("processor/images/00/resized").shape, (Shape{3, 84, 56}));
  EXPECT_EQ(plan.tap("processor/images/00/pixel_values").shape, (Shape{24, 1176}));
  EXPECT_EQ(plan.dtype_of(plan.tap("processor/images/00/in").type), DType::u8);
}

TEST(M3Processor, VideosKeepTheirSizeWhenToldAndPadFrames) {
  const Plan plan = plan_of({"03", {5, 3, 56, 84}, false, 0});

  EXPECT_EQ(plan.tap("processor/videos/03/resized").shape, (Shape{5, 3, 56, 84}));
  EXPECT_EQ(plan.tap("processor/videos/03/pixel_values").shape, (Shape{72, 1176}));
}

TEST(M3Processor, ReadsTheTwoProcessorsOwnConfigurations) {
  const nlohmann::json config{{"image_processor", {{"max_pixels", 6272}}}, {"video_processor", {{"min_pixels", 784}}}};

  EXPECT_EQ(plan_of({"00", {3, 120, 90}, true, 0}, config).tap("processor/images/00/resized").shape,
            (Shape{3, 84, 56}));
  EXPECT_EQ(plan_of({"00", {1, 3, 28, 28}, true, 0}, config).tap("processor/videos/00/resized").shape,
            (Shape{1, 3, 28, 28}));
}

TEST(M3Processor, RefusesWhatTheSizeRuleRefuses) {
  EXPECT_THAT(refusal([] { (void)plan_of({"00", {3, 1, 201}, true, 0}); }), HasSubstr("1 x 201 pixels is refused"));
  EXPECT_THAT(refusal([] { (void)plan_of({"00", {1, 3, 50, 75}, false, 0}); }), HasSubstr("50 x 75 pixels is refused"));
  EXPECT_THAT(refusal([] { (void)plan_of({"00", {20, 20}, true, 0}); }), HasSubstr("[T,]C,H,W is wanted"));
}

TEST(M3Processor, RefusesOtherReleasesAndPlainPixels) {
  const RawMedium image{"00", {3, 56, 56}, true, 0};
  EXPECT_THAT(refusal([&] { (void)plan_of(image, nlohmann::json::object(), "hf-5.18.0"); }),
              HasSubstr("'hf-5.18.0': its processors are not modelled"));
  const nlohmann::json plain{{"image_processor", {{"do_normalize", false}}}};
  EXPECT_THAT(refusal([&] { (void)plan_of(image, plain); }), HasSubstr("do_normalize is false"));
}

}  // namespace
}  // namespace parity
