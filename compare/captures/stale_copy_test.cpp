// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A tap with the stale values of another call fails, and the report names that call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/golden_cases.hpp"
#include "core/text.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
using namespace tests;

/// Returns the first tap of this name that has the same shape in the next call, together with that call's tap.
std::pair<std::string, std::string> same_in_two_calls(const golden::ActivationFile& file, const std::string& name) {
  std::map<std::string, std::string> seen;  // shape -> tap
  for (const golden::DatasetInfo& info : file.datasets()) {
    if (!glob_match("steps/*/" + name, info.path) || info.path.find("/exact/") != std::string::npos) continue;
    const auto [first, fresh] = seen.emplace(parity::to_string(info.shape), info.path);
    if (!fresh) return {first->second, info.path};
  }
  return {};
}

TEST(StaleCopies, OfAnotherCallsTapAreNamedWhereTheyFail) {
  const TemporaryFolder scratch;
  const auto file = golden::ActivationFile::open(kData / "m3-text-bf16" / "activations.h5");
  const auto [first, second] = same_in_two_calls(file, "text/final_norm/out");
  ASSERT_FALSE(second.empty());
  Changes changes, other;
  changes.values[second] = file.read(first);
  other.values[second] = tampered(file.read(second));

  const GoldenReport report =
      judge(copy_golden(kData / "m3-text-bf16", scratch / "copy", changes), only(Mode::isolated));
  EXPECT_EQ(report.verdict, Status::fail);
  EXPECT_EQ(report.first_divergence->tap, second);
  EXPECT_THAT(find(report, second)->reason,
              HasSubstr("has the same bytes as " + first + ", so it may be a stale copy"));
  const GoldenReport wrong = judge(copy_golden(kData / "m3-text-bf16", scratch / "other", other), only(Mode::isolated));
  EXPECT_EQ(find(wrong, second)->status, Status::fail);
  EXPECT_EQ(find(wrong, second)->reason.find("stale"), std::string::npos) << "wrong, but nobody's copy";
}

}  // namespace
}  // namespace parity::compare
