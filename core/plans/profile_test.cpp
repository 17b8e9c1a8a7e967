// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Profiles: names, aliases and what they set.
#include "core/plans/profile.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

constexpr const char* kM3 = "minimax_m3_vl";

TEST(Profile, ReleasesWithTheSameDecoderShareOneProfile) {
  EXPECT_EQ(&find_profile(kM3, "hf-5.12.1"), &find_profile(kM3, "hf-5.12.0"));
  EXPECT_EQ(&find_profile(kM3, "hf-5.14.1"), &find_profile(kM3, "hf-5.13.0"));
  EXPECT_EQ(&find_profile(kM3, "hf-5.22.0"), &find_profile(kM3, "hf-5.18.0"));
  EXPECT_NE(&find_profile(kM3, "hf-5.13.0"), &find_profile(kM3, "hf-5.12.0"));
}

TEST(Profile, SelectionIsPerGroupFrom513On) {
  EXPECT_FALSE(std::get<bool>(find_profile(kM3, "hf-5.12.1").settings.at("index_block_scores.per_group")));
  EXPECT_TRUE(std::get<bool>(find_profile(kM3, "hf-5.17.0").settings.at("index_block_scores.per_group")));
}

TEST(Profile, AuxLossIsInBinary32From516On) {
  for (const char* point : {"router_aux_loss.column", "router_aux_loss.mean"}) {
    for (const char* before : {"hf-5.12.0", "hf-5.13.0", "hf-5.15.1"})
      EXPECT_EQ(find_profile(kM3, before).rounding.count(point), 0U) << before;
    for (const char* after : {"hf-5.16.0", "hf-5.16.1", "hf-5.17.0", "hf-5.18.0", "hf-5.22.2", "hf-5.23.0"})
      EXPECT_EQ(find_profile(kM3, after).rounding.at(point), Precision::single) << after;
  }
}

TEST(Profile, MultimodalModelHasAnAuxLossFrom518On) {
  for (const char* before : {"hf-5.12.0", "hf-5.13.0", "hf-5.16.1", "hf-5.17.0"})
    EXPECT_FALSE(find_profile(kM3, before).does("vl.aux_loss")) << before;
  for (const char* after : {"hf-5.18.0", "hf-5.20.2", "hf-5.23.0"})
    EXPECT_TRUE(find_profile(kM3, after).does("vl.aux_loss")) << after;
}

TEST(Profile, SuffixOfBinary64CapturesIsSetAside) {
  EXPECT_EQ(&find_profile(kM3, "hf-5.12.0-f64"), &find_profile(kM3, "hf-5.12.0"));
  EXPECT_THAT(refusal_of(ErrorCode::unsupported, [] { return find_profile(kM3, "-f64"); }),
              HasSubstr("profile '-f64' is not known"));
  EXPECT_THAT(refusal_of(ErrorCode::unsupported, [] { return find_profile(kM3, "hf-5.12.0-f32"); }),
              HasSubstr("is not known"));
}

TEST(Profile, AReleaseThatNobodyHasReadHasTheRulesOfTheNewestBeforeIt) {
  EXPECT_EQ(&find_profile(kM3, "hf-5.14.7"), &find_profile(kM3, "hf-5.14.1"));
  EXPECT_EQ(&find_profile(kM3, "hf-5.14.7-f64"), &find_profile(kM3, "hf-5.14.1"));
  EXPECT_EQ(&find_profile(kM3, "hf-5.123.0"), &find_profile(kM3, newest_profile(kM3)));
  EXPECT_EQ(assumed_release(kM3, "hf-5.14.7-f64"), "hf-5.14.1");
  for (const char* none : {"hf-5.14.1-f64", "hf-4.0.0", ""}) EXPECT_EQ(assumed_release(kM3, none), "") << none;
  for (const char* other : {"hf-5.11.0", "hf-6.0.0", "vllm-5.14.0", "hf-5.14.1-f32", "hf-5.14", "hf-05.14.7",
                            "hf-5.14.-2", "hf-5.99999999999.0"})
    EXPECT_THAT(refusal_of(ErrorCode::unsupported, [&] { return find_profile(kM3, other); }), HasSubstr("is not known"))
        << other;
}

TEST(Profile, UnknownProfileListsAllKnownOnesAndTheNearest) {
  const std::string message = refusal_of(ErrorCode::unsupported, [] { return find_profile(kM3, "hf5.12.0"); });

  EXPECT_THAT(message, HasSubstr("profile 'hf5.12.0' is not known (did you mean 'hf-5.12.0'?"));
  for (const Profile& profile : profiles()) {
    if (profile.system != kM3) continue;
    EXPECT_THAT(message, HasSubstr(profile.name));
    for (const std::string& also : profile.also) EXPECT_THAT(message, HasSubstr(also));
  }
}

TEST(Profile, EveryNameOfASystemMeansOneProfile) {
  std::set<std::pair<std::string, std::string>> names;
  size_t count = 0;
  for (const Profile& profile : profiles()) {
    names.insert({profile.system, profile.name});
    for (const std::string& also : profile.also) names.insert({profile.system, also});
    count += 1 + profile.also.size();
  }

  EXPECT_EQ(names.size(), count);
}

TEST(AttentionImplementation, EagerChangesNothing) {
  EXPECT_TRUE(find_attention("eager").settings.empty());
  EXPECT_TRUE(find_attention("eager").rounding.empty());
}

TEST(AttentionImplementation, SdpaDividesLastAndKeepsScoresInBinary32) {
  const Profile& sdpa = find_attention("sdpa");

  for (const std::string component : {"attention_dense", "attention_block_sparse", "vision_attention"}) {
    EXPECT_FALSE(std::get<bool>(sdpa.settings.at(component + ".normalise_first")));
    EXPECT_EQ(sdpa.rounding.at(component + ".score"), Precision::single);
    EXPECT_EQ(sdpa.rounding.at(component + ".scaled"), Precision::single);
  }
  EXPECT_EQ(sdpa.rounding.size(), 6U);  // un-normalised weights and output are still rounded to T
}

TEST(AttentionImplementation, SdpaMasksDenseLayersWithBooleansAndSparseOnesAdditively) {
  const Profile& sdpa = find_attention("sdpa");

  EXPECT_TRUE(std::get<bool>(sdpa.settings.at("attention_dense.zero_blind_rows")));
  EXPECT_FALSE(sdpa.settings.contains("attention_block_sparse.zero_blind_rows"));
}

TEST(AttentionImplementation, UnknownOneListsTheKnown) {
  EXPECT_THAT(refusal_of(ErrorCode::unsupported, [] { return find_attention("flash"); }),
              HasSubstr("attention implementation 'flash' is not known; known: eager sdpa"));
}

}  // namespace
}  // namespace parity
