// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/files/accepted_file.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/files/temporary_folder.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Returns the error message from reading a list with this text.
std::string refusal(const std::string& text) {
  const golden::TemporaryFolder folder;
  const auto path = folder.path() / "accepted.json";
  std::ofstream(path) << text;
  try {
    static_cast<void>(read_accepted(path));
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(AcceptedFile, ReadsWhatWasPrinted) {
  const golden::TemporaryFolder folder;
  const auto path = folder.path() / "accepted.json";
  std::ofstream(path) << accepted_text(
      {{"a/*", "", 1.5, "our exp", "2026-11-22"}, {"*", "rms_norm-without-one", 0.0, "known", "2024-02-29"}});

  const auto entries = read_accepted(path);

  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].tap, "a/*");
  EXPECT_EQ(entries[0].factor, 1.5);
  EXPECT_EQ(entries[1].fault, "rms_norm-without-one");
}

TEST(AcceptedFile, RefusesADayThatIsNone) {
  const auto dated = [](const std::string& date) {
    return refusal(R"([{"tap": "*", "factor": 2, "reason": "known", "date": ")" + date + "\"}]");
  };

  for (const char* date : {"", "today", "2026-13-01", "2026-02-30", "2026-00-10", "2026/11/22"})
    EXPECT_THAT(dated(date), HasSubstr("date (YYYY-MM-DD)")) << date;
  EXPECT_EQ(dated("2026-11-22"), "read");
}

TEST(AcceptedFile, RefusesAFaultAndAFactorTogetherAndMisspeltKeys) {
  EXPECT_THAT(refusal(R"([{"tap": "*", "factor": 2, "fault": "x", "reason": "r", "date": "2026-11-22"}])"),
              HasSubstr("exactly one of the keys fault and factor"));
  EXPECT_THAT(refusal(R"([{"tap": "*", "factr": 2, "reason": "r", "date": "2026-11-22"}])"), HasSubstr("factor"));
}

}  // namespace
}  // namespace parity::reports
