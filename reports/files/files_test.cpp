// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/files/files.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.hpp"

namespace parity::reports {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(::testing::TempDir()) /
             (std::string("parity_files_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
              std::to_string(getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  static std::string content(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path folder;
};

TEST_F(Files, ReplacesAFileAndLeavesNothingElse) {
  const fs::path path = folder / "run.json";
  write_text_atomically(path, "a longer old text");

  write_text_atomically(path, "new");

  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(Files, MakesTheFolder) {
  write_text_atomically(folder / "report" / "x" / "run.json", "text");

  EXPECT_EQ(content(folder / "report/x/run.json"), "text");
}

TEST_F(Files, WritesThroughALinkInsteadOfReplacingIt) {
  write_text_atomically(folder / "target", "old");
  fs::create_symlink("target", folder / "link");

  write_text_atomically(folder / "link", "new");

  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(content(folder / "target"), "new");
}

TEST_F(Files, LeavesADeviceADevice) {
  write_text_atomically("/dev/null", "text");

  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, WritesADashToStandardOutput) {
  ::testing::internal::CaptureStdout();
  write_text_atomically("-", "text\n");

  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "text\n");
}

TEST_F(Files, NamesThePathAndTheReasonWhenItCannotWrite) {
  write_text_atomically(folder / "file", "a file, no folder");
  const auto message = [](const fs::path& path) {
    try {
      write_text_atomically(path, "text");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      return std::string(error.what());
    }
    return std::string("no error");
  };

  EXPECT_THAT(message(folder), ::testing::HasSubstr("it is a folder"));
  EXPECT_THAT(message(folder / "file" / "run.json"),
              ::testing::AllOf(::testing::HasSubstr("file/run.json"), ::testing::HasSubstr("Not a directory")));
  EXPECT_THAT(message("/dev/full"), ::testing::HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace parity::reports
