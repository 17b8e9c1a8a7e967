// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/bound/bound.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace parity::ptx {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

/// A clock a second, so that sums can be seen.
Gpu small() {
  Gpu gpu;
  gpu.name = "small";
  gpu.sms = 2;
  gpu.clock = 1;
  gpu.tensor = {{"bf16", 100}, {"e4m3", 200}};
  gpu.dram = 10;
  gpu.l2 = 32;
  gpu.shared_per_clock = 128;
  gpu.per_clock = 4;
  gpu.sources["l2_gb_s"] = "nobody says";
  return gpu;
}

Counters counters_with(const Cost& cost) {
  Counters counters;
  counters.blocks = 1;
  counters.lines.emplace_back().cost = cost;
  counters.unique = UniqueBytes{.by_traffic = {}, .read = 0, .written = 0};
  return counters;
}

double seconds(const Bound& bound, Resource resource) {
  for (const Bound::Term& term : bound.terms) {
    if (term.resource == resource) return term.seconds;
  }
  return -1;
}

TEST(PtxBound, EachResourceTakesItsWorkOverItsRate) {
  Cost cost;
  cost.instructions = 40;
  cost.shared = {1, 6, 1};
  cost.global[0].sectors = 7;
  cost.multiply_adds = {{"bf16 m16n8k16", 300}, {"e5m2 m16n8k32", 400}};
  Counters counters = counters_with(cost);
  counters.unique->read = 30;
  counters.unique->written = 10;
  const Bound bound = bound_of(counters, small());

  EXPECT_EQ(seconds(bound, Resource::issue), 5);
  EXPECT_EQ(seconds(bound, Resource::shared), 3);
  EXPECT_EQ(seconds(bound, Resource::l2), 7);
  EXPECT_EQ(seconds(bound, Resource::dram), 4);
  EXPECT_EQ(seconds(bound, Resource::tensor), 5);
  EXPECT_EQ(bound.largest().resource, Resource::l2);
  EXPECT_THAT(describe(bound, small()),
              StartsWith("bound by the model (small): l2; tensor 71 %, issue 71 %, dram 57 %, shared 43 %"));
}

TEST(PtxBound, WhatTheModelCannotSayIsLeftOutAndNamed) {
  Cost cost;
  cost.instructions = 8;
  cost.multiply_adds = {{"tf32 m16n8k8", 1000}};
  Counters counters = counters_with(cost);
  counters.unique.reset();
  Gpu gpu = small();
  gpu.l2.reset();
  const Bound bound = bound_of(counters, gpu);

  EXPECT_EQ(bound.largest().resource, Resource::issue);
  EXPECT_THAT(bound.left_out, Contains(HasSubstr("no rate of tf32")));
  EXPECT_THAT(bound.left_out, Contains(HasSubstr("dram:")));
  EXPECT_THAT(bound.left_out, Contains("l2: nobody says"));
  EXPECT_EQ(seconds(bound_of(counters, gpu, UniqueBytes{{}, 20, 0}), Resource::dram), 2);
}

TEST(PtxBound, ASampleIsScaledToTheGrid) {
  Cost cost;
  cost.instructions = 8;
  Counters counters = counters_with(cost);
  counters.blocks = 10;
  counters.run = {3};

  EXPECT_EQ(seconds(bound_of(counters, small()), Resource::issue), 10);
}

TEST(PtxGpus, EveryFigureHasASourceAndFitsTheOthers) {
  ASSERT_EQ(gpus().size(), 4U);
  for (const auto& [id, gpu] : gpus()) {
    EXPECT_EQ(gpu.sources.size(), 12 + gpu.tensor.size()) << id;
    const double per_clock = 2 * gpu.tensor.at("bf16") / (gpu.sms * gpu.clock);
    const double expected = id == "a100" ? 2048 : id == "b200" ? 8192 : 4096;
    EXPECT_NEAR(per_clock, expected, expected / 100) << id << ": operations of an SM a clock";
    EXPECT_EQ(gpu.tensor.at("tf32") * 2 <= gpu.tensor.at("bf16") * 1.01, true) << id;
  }
  EXPECT_DOUBLE_EQ(gpu("h200").dram, 4.8e12);
  EXPECT_FALSE(gpu("b200").l2.has_value());
}

TEST(PtxGpus, AFigureWithoutASourceIsRefused) {
  const auto message = [](std::string_view text) -> std::string {
    try {
      static_cast<void>(parse_gpu("x", text));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };

  EXPECT_THAT(message("nonsense"), HasSubstr("optimized/gpus/x.json: an object with a 'name'"));
  EXPECT_THAT(message(R"({"name": "X"})"), HasSubstr("'sms' is missing"));
  EXPECT_THAT(message(R"({"name": "X", "sms": {"value": 4}})"), HasSubstr("'sms' has no source"));
  EXPECT_THAT(message(R"({"name": "X", "sms": {"value": -4, "source": "s"}})"),
              HasSubstr("'sms' is no number above 0"));
  EXPECT_THAT(message(R"({"name": "X", "sms": {"value": null, "source": "s"}})"), HasSubstr("'sms' is null"));
  EXPECT_THROW(static_cast<void>(gpu("h20")), Error);
}

}  // namespace
}  // namespace parity::ptx
