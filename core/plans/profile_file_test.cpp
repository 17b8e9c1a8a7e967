// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/profile_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFirst = R"({"description": "first", "also": ["hf-1.0.1"],
  "settings": {"c.flag": true, "c.count": 3, "c.eps": 0.0}, "rounding": {"c.out": "single"}, "config": {"nemo": true}})";

/// The profiles of folder "a", whose files have these names and texts.
std::vector<Profile> read(std::vector<std::pair<std::string, std::string>> texts) {
  std::vector<ProfileFile> files;
  for (auto& [name, text] : texts) {
    name = "a/" + name + ".json";
    files.emplace_back(name, text);
  }
  return profiles_in("a", "system", files);
}

std::string message_for(const std::string& text) {
  return refusal_of(ErrorCode::schema, [&] { return read({{"hf-1.0.0", kFirst}, {"hf-2.0.0", text}}); });
}

TEST(ProfileFile, HoldsTypedValues) {
  const Profile profile = read({{"hf-1.0.0", kFirst}}).at(0);

  EXPECT_EQ(profile.system, "system");
  EXPECT_EQ(profile.name, "hf-1.0.0");
  EXPECT_THAT(profile.also, ElementsAre("hf-1.0.1"));
  EXPECT_EQ(profile.settings, (ParamMap{{"c.flag", true}, {"c.count", int64_t{3}}, {"c.eps", 0.0}}));
  EXPECT_EQ(profile.rounding, (RoundingTable{{"c.out", Precision::single}}));
  EXPECT_TRUE(profile.does("nemo"));
  EXPECT_FALSE(profile.does("rotary_dim"));
}

TEST(ProfileFile, TakesWhatItDoesNotMentionFromTheProfileBeforeIt) {
  const std::string second = R"({"description": ["second", "new"], "after": "hf-1.0.0",
    "settings": {"c.flag": null, "c.count": 4}, "rounding": {"c.out": null}, "config": {"nemo": false}})";

  const Profile profile = read({{"hf-2.0.0", second}, {"hf-1.0.0", kFirst}}).at(1);

  EXPECT_EQ(profile.source, "second; new");
  EXPECT_THAT(profile.also, IsEmpty());
  EXPECT_EQ(profile.settings, (ParamMap{{"c.count", int64_t{4}}, {"c.eps", 0.0}}));
  EXPECT_THAT(profile.rounding, IsEmpty());
  EXPECT_FALSE(profile.does("nemo"));
}

TEST(ProfileFile, AFolderIsSortedByReleaseAndOtherNamesFollow) {
  const std::string plain = R"({"description": "x"})";

  std::vector<std::string> names;
  for (const Profile& profile : read({{"nemo", plain}, {"hf-10.0.0", plain}, {"hf-9.0.0", plain}}))
    names.push_back(profile.name);

  EXPECT_THAT(names, ElementsAre("hf-9.0.0", "hf-10.0.0", "nemo"));
}

TEST(ProfileFile, FilesOfOtherFoldersAreNotRead) {
  const std::vector<ProfileFile> files{{"b/hf-1.0.0.json", kFirst}, {"a/sub/hf-1.0.0.json", kFirst}};

  EXPECT_THAT(profiles_in("a", "system", files), IsEmpty());
}

TEST(ProfileFile, MisspeltKeysAreRefused) {
  EXPECT_THAT(message_for(R"({"description": "x", "setings": {}})"),
              AllOf(HasSubstr("a/hf-2.0.0.json"), HasSubstr("unknown key 'setings' (did you mean 'settings'?)")));
  EXPECT_THAT(message_for(R"({"description": "x", "config": {"nemmo": true}})"),
              HasSubstr("'config' has no key 'nemmo'"));
  EXPECT_THAT(message_for(R"({"description": "x", "config": {"nemo": 1}})"), HasSubstr("a value of another type"));
  EXPECT_THAT(message_for(R"({"description": "x", "rounding": {"c.out": "double"}})"), HasSubstr("'double' is not a"));
  EXPECT_THAT(message_for(R"({"description": "x", "settings": {"c.eps": "0"}})"),
              HasSubstr("use true, false or a number"));
  EXPECT_THAT(message_for(R"({"settings": {}})"), HasSubstr("description"));
}

TEST(ProfileFile, ABaseThatIsMissingOrLeadsBackIsRefused) {
  EXPECT_THAT(message_for(R"({"description": "x", "after": "hf-3.0.0"})"), HasSubstr("'after' names 'hf-3.0.0'"));
  EXPECT_THAT(message_for(R"({"description": "x", "after": "hf-2.0.0"})"), HasSubstr("leads back to this profile"));
}

}  // namespace
}  // namespace parity
