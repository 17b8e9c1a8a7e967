// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/studies/coverage_matrix.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<fs::path> embedded() {
  std::vector<fs::path> folders;
  for (const char* root : {"golden/data", "golden/processors", "golden/cut"}) {
    for (const auto& entry : fs::directory_iterator(root)) {
      if (fs::exists(entry.path() / "activations.h5")) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

TEST(CoverageMatrix, NamesProfilesWithoutARecording) {
  const std::string matrix = coverage_matrix({"golden/data/m2-text-f32"});

  EXPECT_THAT(matrix, HasSubstr("| `attention_dense` | hf-5.1.0 (1) | hf-5.16.0, hf-5.18.0 |"));
  EXPECT_THAT(matrix, HasSubstr("| `attention_block_sparse` | - | hf-5.12.0"));
}

TEST(CoverageMatrix, OfTheEmbeddedGoldensIsThatOfTheDocumentation) {
  std::stringstream document;
  document << std::ifstream("docs/coverage.md").rdbuf();

  EXPECT_THAT(document.str(), HasSubstr(coverage_matrix(embedded())))
      << "copy what `parity list coverage` prints to docs/coverage.md";
}

TEST(CoverageMatrix, OfEveryProfileIsThatOfTheDocumentation) {
  std::stringstream document;
  document << std::ifstream("docs/coverage.md").rdbuf();

  EXPECT_THAT(document.str(), HasSubstr(coverage_summary(embedded())))
      << "copy what `parity list coverage` prints to docs/coverage.md";
}

/// Exceptions: internal helpers, whose results are recorded, and pages of ports, which the relations check.
TEST(CoverageMatrix, EveryComponentButOurOwnHelpersIsRecordedUnderSomeProfile) {
  std::vector<std::string> missing;
  std::stringstream lines(coverage_matrix(embedded()));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("| - |") != std::string::npos) missing.push_back(line.substr(0, line.find(" | - |")));
  }

  EXPECT_THAT(missing, ElementsAre("| `document_pairs`", "| `page_write`", "| `paged_view`", "| `slot_positions`"));
}

}  // namespace
}  // namespace parity::compare
