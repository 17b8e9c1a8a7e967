// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Two backends beside each other: which bits may differ, and that differences are counted.
#include "cases/beside.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "cases/backends.hpp"
#include "cases/battery.hpp"
#include "core/error.hpp"

namespace parity::cases {
namespace {

constexpr float kOne = 1.0F, kNextToOne = 1.0000001F;

Tensor pair_of(float first, float second) {
  Tensor tensor(DType::f32, {2});
  store_element(DType::f32, tensor.view().data, first);
  store_element(DType::f32, tensor.view().data + sizeof(float), second);
  return tensor;
}

const CaseSpec& silu_case() {
  static const CaseSpec spec{"silu", DType::f32, Lane::anywhere, 1, {}};
  return spec;
}

Difference difference_of(const Tensor& ours, const Tensor& theirs, const std::set<std::string>& free) {
  Differences differences;
  differences.add(silu_case(), {{"out", ours}}, {{"out", theirs}});
  differences.add_instructions(silu_case(), free);
  return differences.rows().at({"silu", DType::f32});
}

TEST(Beside, CountsElementsAndTheirDistance) {
  const Difference found = difference_of(pair_of(kOne, 2.0F), pair_of(kNextToOne, 2.0F), {});

  EXPECT_EQ(found.elements, 2);
  EXPECT_EQ(found.different, 1);
  EXPECT_EQ(found.ulps, 1.0);
  EXPECT_EQ(found.worst_case, silu_case().text());
}

TEST(Beside, HoldsKernelsToTheSameBitsUnlessTheGpuMayChoose) {
  const Tensor ours = pair_of(kOne, kOne), theirs = pair_of(kOne, kNextToOne);

  EXPECT_FALSE(difference_of(ours, theirs, {}).holds());
  EXPECT_TRUE(difference_of(ours, theirs, {"ex2.approx.ftz.f32"}).holds());
  EXPECT_TRUE(difference_of(ours, ours, {}).holds());
}

TEST(Beside, TakesOneNanForAnother) {
  const float nan = std::numeric_limits<float>::quiet_NaN();

  EXPECT_EQ(difference_of(pair_of(nan, kOne), pair_of(-nan, kOne), {}).different, 0);
}

TEST(Beside, KnowsInstructionsWhoseBitsAreTheGpusOwn) {
  for (const char* opcode : {"ex2.approx.ftz.f32", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
                             "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16", "atom.global.add.f32",
                             "red.global.add.f32", "tanh.approx.f32"})
    EXPECT_TRUE(is_free(opcode)) << opcode;
  for (const char* opcode : {"fma.rn.f32", "sqrt.rn.f32", "div.rn.f32", "atom.global.max.u64", "atom.global.add.u32",
                             "add.rn.f32", "cvt.rn.bf16.f32"})
    EXPECT_FALSE(is_free(opcode)) << opcode;
}

TEST(Beside, KnowsHowAnH100AddsProducts) {
  for (const char* opcode :
       {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        "mma.sync.aligned.m8n8k4.row.col.f64", "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16"}) {
    EXPECT_TRUE(is_free(opcode)) << opcode;
    EXPECT_FALSE(is_free(opcode, true)) << opcode;
  }
  for (const char* opcode :
       {"wgmma.mma_async.sync.aligned.m64n128k16.f16.f16.f16", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "ex2.approx.ftz.f32",
        "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e4m3"})
    EXPECT_TRUE(is_free(opcode, true)) << opcode;
  EXPECT_FALSE(is_free("wgmma.wait_group.sync.aligned"));
}

TEST(Beside, HoldsProductsOfIntegersToTheSameBits) {
  for (const char* opcode :
       {"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32", "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc",
        "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8"}) {
    EXPECT_FALSE(is_free(opcode)) << opcode;
    EXPECT_FALSE(is_free(opcode, true)) << opcode;
  }
}

TEST(Beside, RefusesABackendWithoutKernels) {
  Differences differences;

  EXPECT_THROW(static_cast<void>(beside("cpu", "gpu", differences)), Error);
}

TEST(Beside, ComparesTheKernelsOfTwoBackends) {
  if (!has_kernels("cuda-host")) GTEST_SKIP() << "this build has no nvcc";
  Differences differences;
  const CaseKernel both = beside("cuda-host", "cuda-host:checked", differences);

  EXPECT_FALSE(is_wrong(worst_record({"rms_norm", DType::f32, Lane::anywhere, 3, {}}, both)));

  const Difference& found = differences.rows().at({"rms_norm", DType::f32});
  EXPECT_GT(found.elements, 0);
  EXPECT_EQ(found.different, 0);
  EXPECT_TRUE(found.must_be_equal());
}

}  // namespace
}  // namespace parity::cases
