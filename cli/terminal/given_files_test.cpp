// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Result files that cannot be written or would overwrite an input are refused before the command runs: exit code 2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

void expect_refused(const std::vector<std::string>& arguments, const std::string& mention) {
  const Output output = run_program(arguments);
  EXPECT_EQ(output.exit_code, usage) << output.err;
  EXPECT_EQ(output.out, "") << "nothing ran";
  EXPECT_EQ(lines(output.err).size(), 1U) << output.err;
  EXPECT_THAT(output.err, HasSubstr(mention));
}

class GivenFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (scratch_ / name).string(); }
  std::string golden() {
    const std::string folder = path("golden");
    if (!fs::exists(folder)) copy_golden(kGolden, folder, {});
    return folder;
  }

  TemporaryFolder scratch_;
};

TEST_F(GivenFiles, AreNamed) {
  expect_refused({"run", kGolden, "--json", ""}, "--json has an empty value");
  expect_refused({"diff", kGolden, kGolden, "--json", ""}, "--json has an empty value");
  expect_refused({"run", kGolden, "--select="}, "--select");
}

TEST_F(GivenFiles, AreDifferent) {
  const std::string file = path("x");
  write(path("old"), "{}");
  fs::create_symlink("old", path("link"));

  expect_refused({"run", kGolden, "--json", file, "--markdown", file}, "--json and --markdown name the same file");
  expect_refused({"run", kGolden, "--json", file, "--junit", path("./x")}, "name the same file");
  expect_refused({"run", kGolden, "--json", path("old"), "--junit", path("link")}, "name the same file");
  EXPECT_FALSE(fs::exists(file));
  expect_refused({"run", kGolden, "--json", "not-there", "--html", "./not-there"}, "name the same file");
  expect_refused({"run", kGolden, "--json", "not-there/x", "--html", "not-there/../not-there/x"}, "name the same file");
}

TEST_F(GivenFiles, DestroyNothingThatIsRead) {
  const std::string recording = golden() + "/activations.h5", weights = golden() + "/checkpoint/model.safetensors";
  const std::string manifest = path("manifest.json");
  write(manifest, "{}");
  const std::string before = content(recording);

  expect_refused({"run", golden(), "--json", recording}, "would overwrite an input");
  expect_refused({"run", golden(), "--markdown", weights}, "would overwrite an input");
  expect_refused({"run", golden(), "--save", recording, "--candidate", "reference"}, "would overwrite an input");
  expect_refused({"run", kGolden, "--candidate", "capture:" + recording, "--json", recording}, "would overwrite");
  expect_refused({"run", kGolden, "--manifest", manifest, "--json", manifest}, "would overwrite an input");
  expect_refused({"run", kGolden, "--json", recording}, "would overwrite a recording");
  expect_refused({"diff", golden(), kGolden, "--json", recording}, "would overwrite an input");
  EXPECT_EQ(content(recording), before);
}

TEST_F(GivenFiles, CanBeWritten) {
  fs::create_symlink("loop", path("loop"));

  expect_refused({"run", kGolden, "--json", path(std::string(300, 'n'))}, "File name too long");
  expect_refused({"run", kGolden, "--json", path("loop")}, "Too many levels of symbolic links");
  expect_refused({"run", kGolden, "--json", "golden"}, "it is a folder");
  expect_refused({"run", kGolden, "--json", "/proc/nothing"}, "cannot write /proc/nothing");
  expect_refused({"capture", "init", kGolden, path(std::string(300, 'n'))}, "File name too long");
  expect_refused({"walk", "m3", "--state", path("loop")}, "Too many levels of symbolic links");
  expect_refused({"walk", "m3", "--state", "/proc/nothing"}, "cannot write /proc/nothing");
  expect_refused({"walk", "m3", "--state", path("x"), "--json", path("x")}, "name the same file");
}

TEST_F(GivenFiles, MayLieBesideARecording) {
  const std::string report = golden() + "/report.json";

  EXPECT_EQ(run_program({"run", golden(), "--json", report}).exit_code, holds);
  EXPECT_EQ(run_program({"run", golden(), "--json", report}).exit_code, holds) << "again, over its own report";
  EXPECT_EQ(run_program({"run", golden(), "--json", "/dev/null", "--junit", "/dev/null"}).exit_code, holds);
}

}  // namespace
}  // namespace parity::cli
