// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shapes of the processors' plan, and what it refuses.
#include "core/plans/m3/m3_processor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/plans/profile.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

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
  const nlohmann::json config{
      {"image_processor", {{"min_pixels", 50000}, {"max_pixels", 6272}}},  // min_pixels is never read
      {"video_processor", {{"min_pixels", 784}}}};

  EXPECT_EQ(plan_of({"00", {3, 120, 90}, true, 0}, config).tap("processor/images/00/resized").shape,
            (Shape{3, 84, 56}));
  EXPECT_EQ(plan_of({"00", {1, 3, 28, 28}, true, 0}, config).tap("processor/videos/00/resized").shape,
            (Shape{1, 3, 28, 28}));
}

TEST(M3Processor, LaterReleasesReadTheLimitsOfImagesFromSize) {
  const nlohmann::json config{{"image_processor", {{"size", {{"shortest_edge", 784}, {"longest_edge", 6272}}}}}};
  const auto made = [&](const Shape& shape, const char* profile) {
    return plan_of({"00", shape, true, 0}, config, profile).tap("processor/images/00/resized").shape;
  };

  EXPECT_EQ(made({3, 120, 90}, "hf-5.14.1"), (Shape{3, 112, 84}));
  EXPECT_EQ(made({3, 120, 90}, "hf-5.15.0"), (Shape{3, 84, 56}));
  EXPECT_EQ(made({3, 28, 28}, "hf-5.22.2"), (Shape{3, 28, 28}));
}

TEST(M3Processor, LaterReleasesRoundASideToNothingBeforeTheyScale) {
  const auto made = [](const char* profile) {
    return plan_of({"00", {3, 10, 400}, true, 0}, nlohmann::json::object(), profile)
        .tap("processor/images/00/resized")
        .shape;
  };

  EXPECT_EQ(made("hf-5.12.0"), (Shape{3, 28, 392}));  // 28 x 392 is enough
  EXPECT_EQ(made("hf-5.17.0"), (Shape{3, 28, 364}));  // 0 x 392 is not: scaled by sqrt(3136 / 4000)
}

TEST(M3Processor, From5_23AVideoIsSegmentsOfFourTemporalPatches) {
  const RawMedium video{"00", {11, 3, 28, 28}, false, 0};
  const nlohmann::json whole{{"video_processor", {{"vision_segment_max_frames", nullptr}}}};
  const nlohmann::json pairs{{"video_processor", {{"vision_segment_max_frames", 2}}}};
  const auto rows = [&](const nlohmann::json& config, const char* profile) {
    return plan_of(video, config, profile).tap("processor/videos/00/grid_thw").shape;
  };

  EXPECT_EQ(rows(nlohmann::json::object(), "hf-5.22.0"), (Shape{1, 3}));
  EXPECT_EQ(rows(nlohmann::json::object(), "hf-5.23.0"), (Shape{2, 3}));
  EXPECT_EQ(rows(whole, "hf-5.23.0"), (Shape{1, 3}));
  EXPECT_EQ(rows(pairs, "hf-5.23.0"), (Shape{3, 3}));
}

TEST(M3Processor, ReleasesThatNobodyHasReadAreThoseBeforeThem) {
  EXPECT_EQ(find_processor_profile("hf-5.21.5").name, "hf-5.21.0");
  EXPECT_EQ(assumed_release("minimax_m3_vl", "hf-5.21.5"), "hf-5.21.1");
}

TEST(M3Processor, EveryReleaseOfTheModelHasProcessors) {
  for (const Profile& profile : profiles()) {
    if (profile.system != "minimax_m3_vl" || !profile.name.starts_with("hf-")) continue;
    EXPECT_NO_THROW((void)find_processor_profile(profile.name)) << profile.name;
    for (const std::string& name : profile.also) EXPECT_NO_THROW((void)find_processor_profile(name)) << name;
  }
}

TEST(M3Processor, RefusesWhatTheSizeRuleRefuses) {
  EXPECT_THAT(refusal([] { (void)plan_of({"00", {3, 1, 201}, true, 0}); }), HasSubstr("1 x 201 pixels has no size"));
  EXPECT_THAT(refusal([] {
                (void)plan_of({"00", {1, 3, 50, 75}, false, 0});
              }),
              HasSubstr("50 x 75 pixels has no size"));
  EXPECT_THAT(refusal([] { (void)plan_of({"00", {20, 20}, true, 0}); }), HasSubstr("expected [T,]C,H,W"));
}

TEST(M3Processor, RefusesOtherReleasesAndPlainPixels) {
  const RawMedium image{"00", {3, 56, 56}, true, 0};
  EXPECT_THAT(refusal([&] { (void)plan_of(image, nlohmann::json::object(), "hf-6.24.0"); }),
              HasSubstr("the processors' profile 'hf-6.24.0' is not known (did you mean"));
  const nlohmann::json plain{{"image_processor", {{"do_normalize", false}}}};
  EXPECT_THAT(refusal([&] { (void)plan_of(image, plain); }), HasSubstr("do_normalize is false"));
}

}  // namespace
}  // namespace parity
