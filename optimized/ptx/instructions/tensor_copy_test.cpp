// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Copies of boxes of tensors, bulk copies to global memory and reductions, as kernels execute them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/matrix/tensor_map.hpp"
#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

// A tensor of 3 rows of 8 words, 10 row + column, and boxes of 2 rows of 4 words.
TensorMap map_at(uint64_t address) {
  TensorMap map;
  map.element = TensorElement::u32;
  map.rank = 2;
  map.address = address;
  map.size = {8, 3};
  map.stride = {32};
  map.box = {4, 2};
  return map;
}

struct Result {
  std::vector<uint32_t> out, tensor;
  Outcome outcome;
};

/// p0: the map, p1: 64 words of output; the kernel's first lane alone runs what is between its label and "done".
Result run_tensor(const std::string& body, Dim cluster = {1, 1, 1}) {
  const Program program(kernel_of(body));
  Device device;
  std::vector<uint32_t> tensor(24), out(64, 0);
  for (uint32_t i = 0; i < 24; ++i) tensor[i] = i / 8 * 10 + i % 8;
  const uint64_t data = device.upload<uint32_t>(tensor), second = device.upload<uint32_t>(out);
  const TensorMapBytes bytes = encode_tensor_map(map_at(data));
  const uint64_t map = device.upload<std::byte>(bytes);
  Launch launch;
  launch.kernel = "k";
  launch.block = {32, 1, 1};
  launch.grid = launch.cluster = cluster;
  launch.parameters.add(map).add(second);
  Result result;
  Options options;
  options.checks = true;
  result.outcome = run(program, device, launch, options);
  result.tensor = device.download<uint32_t>(data, 24);
  result.out = device.download<uint32_t>(second, 64);
  return result;
}

std::string findings_of(const Result& of) { return findings_of(Ran{{}, of.outcome}); }

const std::string kShared = R"(
.shared .align 128 .b8 box[128]; .shared .align 8 .b8 bar[8];
mov.u32 %r2, box; mov.u32 %r3, bar; mov.u32 %r4, 0; add.s64 %rd9, %rd1, %rd8; shl.b32 %r5, %r0, 2; add.u32 %r6, %r2, %r5;
setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r3], 1; bar.sync 0;
)";
const std::string kWait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra W;\n";
const std::string kShow = "setp.lt.u32 %p3, %r0, 8; @%p3 ld.shared.u32 %r7, [%r6]; @%p3 st.global.u32 [%rd9], %r7;\n";

std::string load_box(const std::string& coordinates, uint32_t bytes = 32) {
  return fmt::format(
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], {};\n"
      "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd0, {{{}}}], "
      "[%r3];\n",
      bytes, coordinates);
}

TEST(TensorCopy, loadsABoxRowByRow) {
  const Result of = run_tensor(kShared + load_box("2, 1") + kWait + kShow);

  EXPECT_EQ(findings_of(of), "");
  EXPECT_EQ(std::vector<uint32_t>(of.out.begin(), of.out.begin() + 8),
            (std::vector<uint32_t>{12, 13, 14, 15, 22, 23, 24, 25}));
}

TEST(TensorCopy, fillsWhatLiesOutsideOfTheTensorWithZeros) {
  const Result of = run_tensor(kShared + load_box("-2, 2") + kWait + kShow);

  EXPECT_EQ(findings_of(of), "");
  EXPECT_EQ(std::vector<uint32_t>(of.out.begin(), of.out.begin() + 8),
            (std::vector<uint32_t>{0, 0, 20, 21, 0, 0, 0, 0}));
}

TEST(TensorCopy, aBoxThatIsReadBeforeItsWaitIsFound) {
  const Result of = run_tensor(kShared + load_box("0, 0") + "bar.sync 0;\n" + kShow);
  EXPECT_THAT(findings_of(of), HasSubstr("in flight"));
}

TEST(TensorCopy, aBarrierThatExpectsOtherBytesNeverCompletes) {
  const Result of = run_tensor(kShared + load_box("0, 0", 48) + kWait + kShow);
  EXPECT_NE(findings_of(of), "");
}

TEST(TensorCopy, goesToEveryBlockOfTheMask) {
  const Result of = run_tensor(
      kShared +
          "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 32; barrier.cluster.arrive; barrier.cluster.wait;\n"
          "mov.u32 %r8, %cluster_ctarank; setp.eq.and.u32 %p4, %r8, 0, %p1; mov.u16 %rs1, 3;\n"
          "@%p4 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], "
          "[%rd0, {4, 0}], [%r3], %rs1;\n" +
          kWait + "mul.wide.u32 %rd2, %r8, 128; add.s64 %rd9, %rd9, %rd2;\n" + kShow +
          "barrier.cluster.arrive; barrier.cluster.wait;\n",
      {2, 1, 1});

  EXPECT_EQ(findings_of(of), "");
  EXPECT_EQ(of.out[0], 4U);
  EXPECT_EQ(of.out[32 + 7], 17U);
}

const std::string kFill = "setp.lt.u32 %p3, %r0, 8; add.u32 %r7, %r0, 100; @%p3 st.shared.u32 [%r6], %r7;\n";
const std::string kOut = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n";

TEST(TensorCopy, storesTheBoxInsideOfTheTensorAlone) {
  const Result of = run_tensor(kShared + kFill +
                               "fence.proxy.async; bar.sync 0;\n@%p1 cp.async.bulk.tensor.2d.global."
                               "shared::cta.tile.bulk_group [%rd0, {6, 2}], [%r2];\n" +
                               kOut);

  EXPECT_EQ(findings_of(of), "");
  EXPECT_EQ(of.tensor[8 * 2 + 6], 100U);
  EXPECT_EQ(of.tensor[8 * 2 + 7], 101U);
  EXPECT_EQ(of.tensor[8 * 2 + 5], 25U);
}

TEST(TensorCopy, reducesIntoTheTensor) {
  const Result of = run_tensor(kShared + kFill +
                               "fence.proxy.async; bar.sync 0;\n@%p1 cp.reduce.async.bulk.tensor.2d."
                               "global.shared::cta.add.tile.bulk_group [%rd0, {0, 0}], [%r2];\n" +
                               kOut);

  EXPECT_EQ(findings_of(of), "");
  EXPECT_EQ(of.tensor[3], 106U);
  EXPECT_EQ(of.tensor[8], 114U);
}

TEST(TensorCopy, aStoreWithoutAProxyFenceIsFound) {
  const Result of = run_tensor(kShared + kFill +
                               "bar.sync 0;\n@%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile."
                               "bulk_group [%rd0, {0, 0}], [%r2];\n" +
                               kOut);
  EXPECT_THAT(findings_of(of), HasSubstr("missing fence"));
}

TEST(TensorCopy, aBoxThatIsOverwrittenWhileItIsStoredIsFound) {
  const Result of = run_tensor(kShared + kFill +
                               "fence.proxy.async; bar.sync 0;\n@%p1 cp.async.bulk.tensor.2d.global."
                               "shared::cta.tile.bulk_group [%rd0, {0, 0}], [%r2];\ncp.async.bulk.commit_group;\n"
                               "bar.sync 0; @%p3 st.shared.u32 [%r6], %r0;\n");
  EXPECT_THAT(findings_of(of), HasSubstr("while an asynchronous read of it is not waited for"));
}

TEST(TensorCopy, eachFaultOfItsOperandsIsFound) {
  const std::string store =
      "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd0, {0, 0}], [%r2+64];\n";
  EXPECT_THAT(findings_of(run_tensor(kShared + store + kOut)), HasSubstr("misaligned"));
  EXPECT_THAT(findings_of(run_tensor(kShared + "mov.u64 %rd0, 64;\n" + load_box("0, 0"))),
              HasSubstr("there is no tensor map"));
  EXPECT_THROW(run_tensor(kShared + "mov.u64 %rd0, %rd1;\n" + load_box("0, 0")), Error);  // 128 other bytes
  EXPECT_THAT(refusal_of("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%rd0, {%r1, %r1}], [%r2];"),
              HasSubstr("3 coordinates are expected"));
}

TEST(TensorCopy, aPrefetchChangesNothing) {
  const Result of = run_tensor(kShared + "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd0, {0, 0}];\n" +
                               load_box("0, 0") + kWait + kShow);
  EXPECT_EQ(findings_of(of), "");
  EXPECT_EQ(of.out[4], 10U);
}

std::string bulk_out(const std::string& opcode) {
  return kShared + kFill + "fence.proxy.async; bar.sync 0;\n@%p1 " + opcode + " [%rd1], [%r2], 32;\n" + kOut;
}

TEST(BulkCopy, writesSharedMemoryToGlobalMemory) {
  const Result of = run_tensor(bulk_out("cp.async.bulk.global.shared::cta.bulk_group"));

  EXPECT_EQ(findings_of(of), "");
  EXPECT_EQ(of.out[7], 107U);
  EXPECT_EQ(of.out[8], 0U);
}

TEST(BulkCopy, reducesIntoGlobalMemory) {
  const std::string before = "st.global.u32 [%rd9], 103; bar.sync 0;\n";
  const auto after = [&](const std::string& operation) {
    std::string text = bulk_out("cp.reduce.async.bulk.global.shared::cta.bulk_group." + operation);
    text.insert(text.find("fence.proxy"), before);
    const Result of = run_tensor(text);
    EXPECT_EQ(findings_of(of), "") << operation;
    return of.out[5];  // of 103 and 105
  };

  EXPECT_EQ(after("add.u32"), 208U);
  EXPECT_EQ(after("max.s32"), 105U);
  EXPECT_EQ(after("min.u32"), 103U);
  EXPECT_EQ(after("and.b32"), 97U);
  EXPECT_EQ(after("xor.b32"), 14U);
  EXPECT_EQ(after("inc.u32"), 104U);
  EXPECT_EQ(after("dec.u32"), 102U);
}

TEST(BulkCopy, reducesHalvesAndSingles) {
  const auto sum = [](const std::string& type, uint32_t ours, uint32_t theirs) {
    std::string text = bulk_out("cp.reduce.async.bulk.global.shared::cta.bulk_group.add." + type);
    text.insert(text.find("fence.proxy"),
                fmt::format("mov.u32 %r9, {}; st.shared.u32 [%r6], %r9; mov.u32 %r9, {}; st.global.u32 [%rd9], %r9;\n",
                            ours, theirs));
    return run_tensor(text).out[0];
  };

  EXPECT_EQ(sum("f32", 0x3F800000, 0x40000000), 0x40400000U);
  EXPECT_EQ(sum("noftz.f16", 0x3C003C00, 0x40003C00), 0x42004000U);
  EXPECT_EQ(sum("noftz.bf16", 0x3F803F80, 0x40003F80), 0x40404000U);
  EXPECT_NE(refusal_of("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%rd0], [%r1], 16;"), "");
}

}  // namespace
}  // namespace parity::ptx
