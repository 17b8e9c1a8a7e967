// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Faults planted around native kernels: the judge notices and names them.
#include "faults/studies/planting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/catalogue.hpp"
#include "faults/computed.hpp"
#include "faults/studies/matrix.hpp"

namespace parity::faults {
namespace {

const Fixture& fixture(const std::string& name) {
  static std::map<std::string, Fixture> known;
  return known.try_emplace(name, "golden/data/" + name).first->second;
}

const Ground& ground_of_kernels() {
  static const Ground instance = ground_of(fixture("m3-text-f32"), "cpu");
  return instance;
}

TEST(AroundNativeKernels, NothingIsWrongWithoutAFault) { EXPECT_EQ(ground_of_kernels().alarm, ""); }

/// One fault of each kind of edit.
class Edits : public ::testing::TestWithParam<const char*> {};

TEST_P(Edits, AreNoticedAndNamed) {
  const Planting planting = plant(find_fault(GetParam()), ground_of_kernels());

  EXPECT_EQ(planting.defect, "");
  EXPECT_GT(planting.changed, 0);
  EXPECT_TRUE(planting.flagged());
  EXPECT_TRUE(planting.named_exactly()) << planting.named;
  EXPECT_EQ(planting.named_component, planting.component);
}

INSTANTIATE_TEST_SUITE_P(AroundNativeKernels, Edits,
                         ::testing::Values("rms_norm-without-one",       // a parameter
                                           "q_proj-of-next-layer",       // a weight
                                           "sparse-one-head-zero",       // a map after the kernel
                                           "residual-branch-twice",      // a map before it
                                           "swiglu-gate-clamped-below")  // a component without a kernel
);

/// All other nodes stay native. A map is wrapped around the kernel; a faulty component replaces it.
TEST(AroundNativeKernels, OnlyWhatNoKernelFollowsIsTheReferences) {
  const auto computed = [](const std::string& id) {
    const Fixture& golden = fixture("m3-text-bf16");
    return computation_of(*applied(find_fault(id), golden.plan()), {"cpu"}, golden.golden().parameters(),
                          golden.recording());
  };
  for (const char* id : {"rms_norm-without-one", "sparse-one-head-zero", "rms_norm-mean-in-T"}) {
    const replay::Computation faulty = computed(id);
    const bool native = std::string(id) != "rms_norm-mean-in-T";
    for (const Node& node : faulty.plan.nodes) {
      if (!faulty.edited.contains(replay::Computation::key_of(node))) continue;
      EXPECT_EQ(faulty.kernel_of(node) != nullptr, native) << id << " at " << node.prefix;
      EXPECT_TRUE(faulty.computes(node));
    }
  }
}

TEST(AroundNativeKernels, FewerRoundingsAreNoFaultAndMoreAreOne) {
  const Plan& plan = fixture("m3-text-bf16").plan();

  EXPECT_TRUE(applied(find_fault("swiglu-fused-f32"), plan)->only_later);
  EXPECT_FALSE(applied(find_fault("rms_norm-mean-in-T"), plan)->only_later);
  EXPECT_FALSE(applied(find_fault("rms_norm-without-one"), plan)->only_later);
}

TEST(AroundNativeKernels, AnAddedRoundingIsFartherFromTheExactValuesThanTheOracle) {
  for (const auto& [id, golden] : {std::pair{"dense-softmax-in-T", "data/m3-text-sdpa-bf16"},
                                   std::pair{"sparse-softmax-in-T", "data/m3-text-sdpa-bf16"},
                                   std::pair{"vision_attention-softmax-in-T", "cut/nemo-m3-vl"}}) {
    const Fixture fixture(std::string("golden/") + golden);
    const Planting planting = plant(find_fault(id), ground_of(fixture, "cpu"));

    EXPECT_TRUE(planting.flagged()) << id;
    EXPECT_TRUE(planting.named_exactly()) << id << " " << planting.named;
    EXPECT_FALSE(planting.rounds_differently()) << id;
  }
}

TEST(AroundNativeKernels, AnotherOrderOfIdsIsListedAndNotCounted) {
  const Planting planting = plant(find_fault("select-ascending"), ground_of_kernels());

  EXPECT_GT(planting.changed, 0);
  EXPECT_FALSE(planting.flagged());
  EXPECT_TRUE(planting.rounds_differently());
  EXPECT_EQ(floors_of("").observable, 1.0);
  EXPECT_EQ(floors_of("cpu").killed, 0.99);
}

TEST(AroundNativeKernels, WhatTheBackendLacksIsListedAndNotPlanted) {
  MatrixOptions options;
  options.goldens = {"golden/data/m3-text-f32"};
  options.select = "embedding-*";
  options.backend = "cpu";

  const Matrix matrix = run_matrix(options);

  EXPECT_TRUE(matrix.rows.empty());
  EXPECT_FALSE(matrix.not_held.empty());
}

}  // namespace
}  // namespace parity::faults
