// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/replaced_folder.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::golden {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void make(const fs::path& target, const std::string& word, bool commit = true) {
  ReplacedFolder folder(target);
  write(folder.path() / "activations.h5", word);
  write(folder.path() / "checkpoint/" / (word + ".json"), word);
  if (commit) folder.commit();
}

size_t entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

TEST(ReplacedFolder, ExchangesAGoldenAsAWhole) {
  const TemporaryFolder scratch;
  make(scratch / "golden", "old");
  write(scratch / "golden/report.json", "mine");

  make(scratch / "golden", "new", false);
  EXPECT_EQ(content(scratch / "golden/activations.h5"), "old") << "without commit nothing happens";
  make(scratch / "golden", "new");

  EXPECT_EQ(content(scratch / "golden/activations.h5"), "new");
  EXPECT_TRUE(fs::exists(scratch / "golden/checkpoint/new.json"));
  EXPECT_FALSE(fs::exists(scratch / "golden/checkpoint/old.json")) << "weights of the old one would be read";
  EXPECT_EQ(content(scratch / "golden/report.json"), "mine") << "it is no part of the golden";
  EXPECT_EQ(entries(scratch.path()), 1U) << "nothing is left beside it";
}

/// A run that is ended between two steps loses none of them: they are in both folders until the old one is removed.
TEST(ReplacedFolder, HasTheFilesOfOthersAtEveryMoment) {
  const TemporaryFolder scratch;
  make(scratch / "golden", "old");
  write(scratch / "golden/report.json", "mine");
  write(scratch / "golden/notes/today", "mine");
  fs::create_symlink("report.json", scratch / "golden/link");

  ReplacedFolder folder(scratch / "golden");
  write(folder.path() / "activations.h5", "new");
  folder.commit();

  for (const fs::path& place : {scratch / "golden", folder.path()}) {
    EXPECT_EQ(content(place / "report.json"), "mine") << place;
    EXPECT_EQ(content(place / "notes/today"), "mine") << place;
    EXPECT_TRUE(fs::is_symlink(place / "link")) << place;
  }
  EXPECT_EQ(content(scratch / "golden/activations.h5"), "new");
}

TEST(ReplacedFolder, FillsAFolderThatHoldsNoGolden) {
  const TemporaryFolder scratch;
  write(scratch / "mine/notes", "mine");
  write(scratch / "mine/checkpoint/stale", "stale");

  make(scratch / "mine", "new");

  EXPECT_EQ(content(scratch / "mine/activations.h5"), "new");
  EXPECT_EQ(content(scratch / "mine/notes"), "mine");
  EXPECT_FALSE(fs::exists(scratch / "mine/checkpoint/stale"));
  EXPECT_EQ(entries(scratch.path()), 1U);
}

TEST(ReplacedFolder, FollowsALink) {
  const TemporaryFolder scratch;
  make(scratch / "real", "old");
  fs::create_directory_symlink("real", scratch / "link");

  make(scratch / "link/", "new");

  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(content(scratch / "real/activations.h5"), "new");
}

TEST(ReplacedFolder, IsNoFile) {
  const TemporaryFolder scratch;
  write(scratch / "file", "x");

  EXPECT_THROW(ReplacedFolder folder(scratch / "file"), Error);
  EXPECT_THROW(ReplacedFolder folder(scratch / "file/below"), Error);
  EXPECT_THROW(ReplacedFolder folder(scratch / std::string(300, 'n')), Error);
}

}  // namespace
}  // namespace parity::golden
