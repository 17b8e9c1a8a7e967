// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/counters/counters.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <omp.h>

#include "core/error.hpp"
#include "optimized/cuda/modules.hpp"
#include "reports/document.hpp"
#include "reports/files/schema_check.hpp"

namespace parity::benches {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kName = "norm/tokens-1/f32/cuda-host";

/// One launch that reads 100 sectors at norm.cu:3 and multiplies at norm.cu:4.
CountedCase example() {
  CountedCase counted{kName, "", {1000, 1600, 1600}};
  ptx::Counters& counters = counted.launches.emplace_back().counters;
  counters.kernel = "norm";
  counters.blocks = 1;
  counters.lines.resize(2);
  counters.lines[0].position = {10, "/src/norm.cu", 3};
  counters.lines[0].cost.global[0] = {25, 20, 100, 100, 3200};
  counters.lines[1].position = {11, "/src/norm.cu", 4};
  counters.lines[1].cost.shared = {4, 8, 4};
  counters.lines[1].cost.multiply_adds["bf16 m16n8k16"] = 1000;
  counters.unique = ptx::UniqueBytes{{}, 3000, 3400};
  return counted;
}

CounterBaseline baseline(const CountedCase& counted) {
  CounterBaseline before{1, 0, {}};
  for (const auto& launch : counted.launches) before.cases[counted.name].push_back(launch.counters);
  return before;
}

TEST(OverIdeal, IsWhatWasCountedOverWhatIsDeclared) {
  const OverIdeal over = over_ideal(example());

  EXPECT_EQ(over.tensor, 2.0);
  EXPECT_EQ(over.dram, 2.0);
  EXPECT_EQ(over.l2, 0.5);
  EXPECT_EQ(over.conflicts, 0.5);
  EXPECT_EQ(over.coalesced, 0.8);
}

TEST(OverIdeal, OfASampleTakesTheBytesOfTheOperands) {
  CountedCase sampled = example();
  sampled.launches[0].counters.blocks = 4;
  sampled.launches[0].counters.run = {2};
  sampled.launches[0].counters.unique.reset();
  const OverIdeal over = over_ideal(sampled);

  EXPECT_EQ(over.tensor, 8.0);
  EXPECT_EQ(over.dram, std::nullopt);
  EXPECT_EQ(over.l2, 4.0);
  EXPECT_TRUE(over.l2_of_operands);
  sampled.launches.push_back(sampled.launches[0]);
  EXPECT_EQ(over_ideal(sampled).l2, std::nullopt) << "what passes between launches is not known";
}

TEST(CounterGate, NamesKernelCounterAndLineOfTwoPercent) {
  CountedCase now = example();
  now.launches[0].counters.lines[0].cost.global[0].sectors = 102;
  const auto verdicts = compare_counters(baseline(example()), {now}, {});

  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_TRUE(verdicts[0].fails());
  EXPECT_THAT(verdicts[0].grown,
              ElementsAre("norm: load sectors grew from 100 to 102; most of it at norm.cu:3, from 100 to 102"));
  EXPECT_FALSE(compare_counters(baseline(example()), {example()}, {}).at(0).fails());
}

TEST(CounterGate, WhatCannotBeComparedFailsUnlessItIsNew) {
  CountedCase wrong = example(), twice = example();
  wrong.why = "out is wrong";
  twice.launches.push_back(twice.launches[0]);
  const auto why = [](const CounterBaseline& before, const std::vector<CountedCase>& now) {
    const CounterVerdict verdict = compare_counters(before, now, {}).at(0);
    return std::pair(verdict.why, verdict.fails());
  };

  EXPECT_EQ(why({1, 0, {}}, {example()}), std::pair(std::string("not in the baseline"), false));
  EXPECT_EQ(why(baseline(example()), {}), std::pair(std::string("no longer counted"), true));
  EXPECT_EQ(why(baseline(example()), {wrong}), std::pair(std::string("out is wrong"), true));
  EXPECT_THAT(why(baseline(example()), {twice}).first, HasSubstr("2 kernel launches, but the baseline has 1"));
  EXPECT_TRUE(why(baseline(example()), {twice}).second);
}

TEST(CounterGate, OnlyChosenKernelsCanBeGone) {
  EXPECT_THAT(compare_counters(baseline(example()), {}, {.select = "add/*"}), IsEmpty());
}

TEST(CounterGate, OtherOperandsDoNotCompare) {
  EXPECT_THROW(static_cast<void>(compare_counters(baseline(example()), {}, {.seed = 2})), Error);
  EXPECT_THROW(static_cast<void>(compare_counters(baseline(example()), {}, {.sample = 2})), Error);
}

TEST(CounterGate, RefusesOtherDocuments) {
  const auto message = [](const nlohmann::json& document) -> std::string {
    try {
      static_cast<void>(counter_baseline_from_json(document, "old.json"));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  nlohmann::json document =
      nlohmann::json::parse(reports::framed_text({"counters", "pass", ""}, to_json({example()}, {})));

  EXPECT_EQ(message(document), "");
  EXPECT_THAT(message(nlohmann::json::parse("[]")), HasSubstr("old.json: "));
  document["cases"][0]["launches"][0]["lines"][0]["lanes"] = -1;
  EXPECT_THAT(message(document),
              HasSubstr("old.json/cases/0/launches/0/lines/0/lanes: a whole number of 0 or more is expected"));
  document.erase("cases");
  EXPECT_THAT(message(document), HasSubstr("not a file of counters; write this file with"));
}

TEST(Assembled, RegistersSpillsAndSharedMemoryAreReadByKernel) {
  const auto kernels = parse_assembled(
      "ptxas info    : Compiling entry function 'a_f32' for 'sm_90'\n"
      "ptxas info    : Function properties for a_f32\n"
      "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 36 bytes smem, 464 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers\n");

  EXPECT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels.at("a_f32"), (Assembled{40, 16, 36}));
  EXPECT_EQ(kernels.at("b"), (Assembled{8, 0, 0}));
}

/// The kernels of this build; without nvcc there are none.
class CountedKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!optimized::cuda::has_modules()) GTEST_SKIP() << "this build has no nvcc";
  }
  static CounterOptions norm() { return {.select = "add_norm/tokens-1/bf16/*"}; }
};

TEST_F(CountedKernels, AreTheSameTwiceAndWithSeveralWorkers) {
  CounterOptions options{.select = "rms_norm/tokens-512/bf16/*", .sample = 8};
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto alone = to_json(count_cases(options), options);
  omp_set_num_threads(4);
  const auto shared = to_json(count_cases(options), options);
  omp_set_num_threads(threads);

  ASSERT_EQ(alone.at("cases").size(), 1U) << "the place with checks would count the same once more";
  EXPECT_GT(alone["cases"][0]["launches"][0]["total"]["instructions"], 1000);
  EXPECT_EQ(alone, shared);
}

TEST_F(CountedKernels, ASampleIsNotJudgedAndSaysSo) {
  const auto cases = count_cases({.select = "rms_norm/tokens-512/f32/*", .sample = 2});

  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].launches.at(0).counters.run.size(), 2U);
  EXPECT_EQ(cases[0].launches[0].counters.unique, std::nullopt);
  EXPECT_EQ(cases[0].stated()->written, 512U * 6144 * 4);
}

TEST_F(CountedKernels, FollowTheSchemaAndComeBack) {
  const auto body = to_json(count_cases(norm()), norm());
  const auto document = nlohmann::json::parse(reports::framed_text({"counters", "pass", ""}, body));

  EXPECT_THAT(reports::schema_violations(document, reports::study_schema()), IsEmpty());
  const auto verdicts = compare_counters(counter_baseline_from_json(document, "x"), count_cases(norm()), norm());
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].name, "add_norm/tokens-1/bf16/cuda-host");
  EXPECT_FALSE(verdicts[0].fails()) << verdicts[0].why;
  EXPECT_EQ(verdicts[0].why, "");
}

/// The same kernel against a baseline whose loads touch 2 % fewer sectors in one line.
TEST_F(CountedKernels, FailTheGateByTwoPercent) {
  const auto cases = count_cases(norm());
  CounterBaseline before = baseline(cases.at(0));
  ptx::Counters& counters = before.cases.begin()->second.at(0);
  const uint64_t excess = counters.counted().of(ptx::Traffic::load).sectors / 50;
  const auto heaviest =
      std::max_element(counters.lines.begin(), counters.lines.end(), [](const auto& a, const auto& b) {
        return a.cost.of(ptx::Traffic::load).sectors < b.cost.of(ptx::Traffic::load).sectors;
      });
  heaviest->cost.global[0].sectors -= excess;
  const auto verdicts = compare_counters(before, cases, norm());

  ASSERT_EQ(verdicts.at(0).grown.size(), 1U);
  EXPECT_THAT(verdicts[0].grown[0], HasSubstr("add_norm_bf16: load sectors grew from"));
  EXPECT_THAT(verdicts[0].grown[0], HasSubstr(fmt::format(":{}, from", heaviest->position.line)));
}

TEST_F(CountedKernels, NeedWhatTheAssemblerSays) {
  CounterOptions options = norm();
  options.gpu = &ptx::gpu("h100");
  const auto cases = count_cases(options);

  if (!cases.at(0).left_out.empty()) GTEST_SKIP() << cases[0].left_out[0];
  const auto held = occupancy_of(cases[0], cases[0].launches.at(0), *options.gpu);
  ASSERT_TRUE(held.has_value());
  EXPECT_GT(cases[0].assembled.at("add_norm_bf16").registers, 8U);
  EXPECT_GE(held->blocks, 1U);
}

}  // namespace
}  // namespace parity::benches
