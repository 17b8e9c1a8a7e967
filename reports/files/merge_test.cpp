// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/files/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "reports/testing/sample_report.hpp"

namespace parity::reports {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Shard `index` of two of a run of three goldens named g0 to g2; this shard has those at `positions`.
ShardReport shard(int64_t index, const std::vector<int64_t>& positions) {
  ShardReport made{fmt::format("{}.json", index), {}};
  for (const int64_t position : positions) {
    compare::GoldenReport& golden = made.report.goldens.emplace_back();
    golden.name = fmt::format("g{}", position);
    golden.seconds = 2.0;
  }
  made.report.environment = tests::sample_report().environment;
  made.report.peak_rss_bytes = 100 * index;
  made.report.shard = {index, 2, 3, "parity run g0 g1 g2", positions, {{"--candidate", "cpu"}, {"--tp", "2"}}};
  return made;
}

std::string complaint(std::vector<ShardReport> shards) {
  try {
    static_cast<void>(merged(std::move(shards)));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Merge, PutsTheGoldensInTheOrderOfTheRun) {
  const compare::RunReport whole = merged({shard(2, {1}), shard(1, {0, 2})});

  std::vector<std::string> names;
  for (const compare::GoldenReport& golden : whole.goldens) names.push_back(golden.name);
  EXPECT_THAT(names, ElementsAre("g0", "g1", "g2"));
  EXPECT_EQ(whole.command, "parity run g0 g1 g2");
  EXPECT_EQ(whole.seconds, 6.0);
  EXPECT_EQ(whole.peak_rss_bytes, 200);
  EXPECT_FALSE(whole.shard.has_value());
}

TEST(Merge, NamesTheMissingShard) {
  EXPECT_EQ(complaint({shard(1, {0, 2})}), "shard 2/2 is missing; give the reports of all 2 shards");
  EXPECT_THAT(complaint({}), HasSubstr("no report is given"));
}

TEST(Merge, NamesTheDoubledShard) {
  EXPECT_EQ(complaint({shard(1, {0, 2}), shard(1, {0, 2}), shard(2, {1})}),
            "1.json and 1.json are both shard 1/2; give each shard once");
}

TEST(Merge, RefusesTheReportOfAWholeRun) {
  ShardReport whole = shard(2, {1});
  whole.report.shard.reset();

  EXPECT_THAT(complaint({shard(1, {0, 2}), whole}), HasSubstr("2.json is the report of a whole run"));
}

TEST(Merge, SaysInWhatTheRunsDiffer) {
  ShardReport other = shard(2, {1});
  other.report.shard->options["--candidate"] = "reference";
  EXPECT_EQ(complaint({shard(1, {0, 2}), other}),
            "1.json and 2.json are shards of different runs: --candidate is 'cpu' in the first, 'reference' in the "
            "second; merge shards of one run");

  other = shard(2, {1});
  other.report.shard->options.erase("--tp");
  EXPECT_THAT(complaint({shard(1, {0, 2}), other}), HasSubstr("--tp is '2' in the first, not given in the second"));

  other = shard(2, {1});
  other.report.shard->options["--mode"] = "forced";
  EXPECT_THAT(complaint({shard(1, {0, 2}), other}),
              HasSubstr("--mode is not given in the first, 'forced' in the second"));

  other = shard(2, {1});
  other.report.shard->of = 3;
  EXPECT_THAT(complaint({shard(1, {0, 2}), other}),
              HasSubstr("number of shards is '2' in the first, '3' in the second"));
}

TEST(Merge, RefusesAnotherBuildButNotAnotherMachine) {
  ShardReport other = shard(2, {1});
  other.report.environment.flags = "-O3";
  EXPECT_THAT(complaint({shard(1, {0, 2}), other}), HasSubstr("flags is '-O2' in the first, '-O3' in the second"));

  other = shard(2, {1});
  other.report.environment.libraries.emplace_back("PARITY_PTX_SEED", "7");
  EXPECT_THAT(complaint({shard(1, {0, 2}), other}),
              HasSubstr("PARITY_PTX_SEED is not given in the first, '7' in the second"));

  other = shard(2, {1});
  other.report.environment.cpu = "another processor";
  EXPECT_EQ(complaint({shard(1, {0, 2}), other}), "no error");
}

TEST(Merge, EveryGoldenIsInOneShard) {
  EXPECT_THAT(complaint({shard(1, {0, 1}), shard(2, {1})}),
              AllOf(HasSubstr("golden number 2 is in 1.json and in 2.json"), HasSubstr("different goldens")));
  EXPECT_THAT(complaint({shard(1, {0}), shard(2, {1})}), HasSubstr("only 2 of 3 goldens are in the reports"));
  EXPECT_THAT(complaint({shard(1, {0, 2}), shard(2, {7})}), HasSubstr("2.json contains golden number 8 of 3"));
}

TEST(Merge, RefusesAReportThatLacksItsGoldens) {
  ShardReport half = shard(1, {0, 2});
  half.report.goldens.pop_back();

  EXPECT_THAT(complaint({half, shard(2, {1})}), HasSubstr("1.json lists 2 goldens of shard 1/2, but has results of 1"));
}

}  // namespace
}  // namespace parity::reports
