// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A file name that leads to a hostile or unusual file gives one line and exit code 3, quickly and in little memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

class HostileFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (scratch_ / name).string(); }

  TemporaryFolder scratch_;
};

/// Limits on time and memory. A command needs less than a second, but a read from a pipe without a writer never ends.
constexpr const char* kLimits = PARITY_SANITIZED ? "timeout 60" : "ulimit -v 2000000; timeout 20";

TEST_F(HostileFile, IsRefusedByEveryCommandThatReadsOne) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink("loop", path("loop"));
  const std::vector<std::string> files{path("pipe"), path("loop"), path(std::string(300, 'n')), "/dev/zero"};
  for (const std::string& file : files) {
    const std::vector<std::vector<std::string>> commands{
        {"run", file},
        {"run", kGolden, "--candidate", "capture:" + file},
        {"run", kGolden, "--manifest", file},
        {"run", kGolden, "--accept", file},
        {"golden", "verify", file},
        {"golden", "info", file},
        {"golden", "ls", file},
        {"golden", "synthesize", path("out"), "--config", file},
        {"diff", file, kGolden},
        {"list", "goldens", file},
        {"show", "loss", "--golden", file},
        {"explain", file},
        {"repro", file + "#loss"},
        {"report", "check", file},
        {"report", "markdown", file},
        {"selftest", "--engines", file},
        {"generate", file},
        {"bench", "--baseline", file},
        {"bench", "compare", file, file},
        {"gate", "--policy", file, "--list"},
        {"merge", file},
    };
    for (const auto& command : commands) {
      const Output output = run_program(command, kLimits);
      EXPECT_EQ(output.exit_code, golden_damaged) << ::testing::PrintToString(command) << output.err;
      EXPECT_EQ(output.err.find("defect of parity"), std::string::npos) << output.err;
    }
  }
}

TEST_F(HostileFile, OfNestedBracketsIsNoReport) {
  for (const std::string& open : {std::string("["), std::string("{\"a\":")}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    write(path("report.json"), text);
    for (const char* format : {"check", "markdown"}) {
      const Output output = run_program({"report", format, path("report.json")}, kLimits);
      EXPECT_EQ(output.exit_code, golden_damaged) << output.err;
      EXPECT_THAT(output.err, HasSubstr("nested more than 64 levels deep"));
    }
    EXPECT_EQ(run_program({"bench", "--baseline", path("report.json")}, kLimits).exit_code, golden_damaged);
    EXPECT_EQ(run_program({"run", kGolden, "--accept", path("report.json")}, kLimits).exit_code, golden_damaged);
  }
}

/// Overwrites the first elements of a dataset in place, as damage on a disk does.
void set_first(const std::string& path, const std::string& dataset, int64_t value, int64_t count) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  std::vector<int64_t> elements(static_cast<size_t>(count));
  EXPECT_GE(H5Dread(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()), 0);
  elements.front() = value;
  EXPECT_GE(H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()), 0);
  H5Dclose(data);
  H5Fclose(file);
}

/// Replaces each count that a recording stores by an absurd number, one count at a time.
TEST_F(HostileFile, OfAbsurdCountsLeavesTheOthersTheirResults) {
  const std::string processor = "golden/processors/m3-processor", small = (kData / "m2-static-f32").string();
  const auto file = golden::ActivationFile::open(processor + "/activations.h5");
  int tried = 0;
  for (const golden::DatasetInfo& info : file.datasets()) {
    const bool counts =
        glob_match("*/prompts/*", info.path) || glob_match("*/sizes", info.path) || glob_match("*/grid_thw", info.path);
    if (!counts || info.dtype != DType::i64 || info.text || !info.alias_of.empty()) continue;
    const std::string damaged = path(fmt::format("damaged{}", tried++)), report = path("report.json");
    fs::copy(processor, damaged, fs::copy_options::recursive);
    set_first(damaged + "/activations.h5", info.path, int64_t{1} << 40, element_count(info.shape));
    const Output output = run_program({"run", damaged, small, "--quiet", "--no-explain", "--json", report}, kLimits);

    EXPECT_TRUE(output.exit_code == golden_damaged || output.exit_code == broken)
        << info.path << " " << output.exit_code << output.err;
    const auto document = nlohmann::json::parse(content(report), nullptr, false);
    ASSERT_TRUE(document.is_object()) << info.path;
    EXPECT_EQ(document["goldens"][1]["verdict"], "pass") << "the other one's result";
    fs::remove_all(damaged);
  }
  EXPECT_GE(tried, 15);
}

}  // namespace
}  // namespace parity::cli
