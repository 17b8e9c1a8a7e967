// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels out of the tree are judged as those of the tree: right ones pass, and what is wrong is named.
#include "cases/foreign/kernel.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "cases/foreign/testing/kernels.hpp"
#include "core/testing/refusal.hpp"

namespace parity::cases {
namespace {

using namespace tests;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

BatteryResult battery_of(const ForeignKernel& kernel) {
  BatteryOptions options;
  options.cases = 12;
  options.wanted = [&](const CaseSpec& spec) { return kernel.computes(spec); };
  return run_battery(kernel.component(), kernel.kernel(), options);
}

std::string refusal(const Files& files) {
  return refusal_of(ErrorCode::usage, [&] { return ForeignKernel(files.word(), "", true); });
}

/// Why the first case failed; "" if none did.
std::string reason(const std::string& binding, const std::string& ptx, bool checked = false) {
  const Files files(binding, ptx);
  const BatteryResult result = battery_of(ForeignKernel(files.word(), "", checked));
  return result.first ? result.first->record.reason : "";
}

TEST(ForeignKernel, ThatIsRightPassesCasesAndGuards) {
  const Files silu(kSiluBinding, kSilu);
  for (const std::string& word : {silu.word(), std::string("ptx:examples/triton/rms_norm.ptx")}) {
    const ForeignKernel kernel(word, "", true);

    const BatteryResult result = battery_of(kernel);
    EXPECT_GE(result.cases, 12);
    EXPECT_EQ(result.failed, 0) << result.first->record.reason;
    for (const KernelGuards& guards : kernel.guards()) EXPECT_TRUE(guards.holds()) << guards.detail;
  }
}

TEST(ForeignKernel, ThatDropsItsTailFailsAndNamesTheShape) {
  const Files files(with(kSiluBinding, "ceil_div(x.count, 256)", "x.count / 256"), kSilu);

  const BatteryResult result = battery_of(ForeignKernel(files.word(), "", false));

  ASSERT_TRUE(result.first);
  const compare::Record& record = result.first->record;
  EXPECT_EQ(record.tap, "out");
  EXPECT_EQ(record.axes, "B,S,F");
  EXPECT_THAT(result.first->spec.text(), HasSubstr("silu:f32:"));
  EXPECT_LT(record.failed, record.elements) << "a case where all is wrong does not show that it is the tail";
  EXPECT_EQ(record.elements / 256 * 256 + record.failed, record.elements);
  EXPECT_LT(record.elements, 768) << "reduced";
  EXPECT_THAT(result.first->text, Not(HasSubstr("threads"))) << "those of a kernel of this tree";
  ASSERT_TRUE(result.first->values);
  EXPECT_EQ(result.first->values->kind, compare::ValueKind::unwritten);
  EXPECT_THAT(result.first->values->detail, HasSubstr(" never written: "));
  ASSERT_TRUE(record.nan);
  EXPECT_EQ(record.nan->never_written, record.failed);
}

TEST(ForeignKernel, ThatComputesNaNIsToldFromOneThatDoesNotWrite) {
  const Files files(kSiluBinding, with(kSilu, "st.global.f32 [%rd6], %f19;",
                                       "mov.f32 %f19, 0f7FFFFFFF; st.global.f32 [%rd6], %f19;"));

  const BatteryResult result = battery_of(ForeignKernel(files.word(), "", false));

  ASSERT_TRUE(result.first);
  ASSERT_TRUE(result.first->record.nan);
  EXPECT_EQ(result.first->record.nan->never_written, 0);
  EXPECT_GT(result.first->record.nan->computed, 0);
}

TEST(ForeignKernel, IsJudgedOnCallsThatItsBindingRequires) {
  const std::string by_fours = with(kSiluBinding, "ceil_div(x.count, 256)", "x.count / 256");
  const Files any(by_fours, kSilu),
      required(with(by_fours, "\"block\"", R"("requires": ["F % 256 == 0"], "block")"), kSilu);
  const ForeignKernel kernel(required.word(), "", false);

  const BatteryResult result = battery_of(kernel);

  EXPECT_GT(battery_of(ForeignKernel(any.word(), "", false)).failed, 0);
  EXPECT_GT(result.cases, 0);
  EXPECT_GT(result.changed, 0);
  EXPECT_EQ(result.failed, 0) << result.first->record.reason;
  for (const KernelGuards& guards : kernel.guards()) {
    EXPECT_GT(guards.calls, 0);
    EXPECT_TRUE(guards.holds()) << guards.detail;
  }
}

TEST(ForeignKernel, SkipsAndCountsCallsThatItsBindingExcludes) {
  const Files never(with(kSiluBinding, "\"block\"", R"("requires": ["F == F + 1"], "block")"), kSilu);
  const ForeignKernel kernel(never.word(), "", false);

  const BatteryResult result = battery_of(kernel);

  EXPECT_EQ(result.cases, 0);
  EXPECT_GE(result.skipped, 12);
  EXPECT_EQ(kernel.guards().front().calls, 0);
}

TEST(ForeignKernel, ReducesToACaseThatItsBindingAllows) {
  const std::string dropped = with(kSiluBinding, "ceil_div(x.count, 256)", "x.count / 256");
  const Files files(with(dropped, "\"block\"", R"("requires": ["F % 8 == 0"], "block")"), kSilu);

  const BatteryResult result = battery_of(ForeignKernel(files.word(), "", false));

  ASSERT_TRUE(result.first);
  EXPECT_EQ(draw_case(result.first->spec).drawn.at('F') % 8, 0) << result.first->text;
}

TEST(ForeignKernel, ThatWritesBeyondItsOutputFails) {
  EXPECT_THAT(reason(kSiluBinding, with(kSilu, "@%p1 bra $L__BB0_2;", "")),
              AllOf(HasSubstr("out of bounds"), HasSubstr("silu.cu:18 (PTX line")));
}

TEST(ForeignKernel, ThatReadsAnElementBeyondATensorIsOutOfBoundsWithItsLine) {
  const std::string one_more = with(kSiluBinding, "i32 x.count", "i32 x.count + 1");
  EXPECT_THAT(reason(one_more, kSilu, true), AllOf(HasSubstr("out of bounds"), HasSubstr("read of 4 global bytes at "),
                                                   HasSubstr(" bytes between its guards"), HasSubstr("silu.cu:")));
}

TEST(ForeignKernel, ThatLacksABarrierIsARaceWithBothLines) {
  const Files files(text_in("examples/triton/rms_norm.json"), with(kTritonNorm, "bar.sync", "// "));
  static_cast<void>(files.add("rms_norm.meta.json", text_in("examples/triton/rms_norm.meta.json")));

  const BatteryResult checked = battery_of(ForeignKernel(files.word(), "", true));

  ASSERT_TRUE(checked.first);
  EXPECT_THAT(checked.first->record.reason,
              AllOf(HasSubstr("race: rms_norm"), HasSubstr("at rms_norm.py:21, in standard.py:"),
                    HasSubstr("; the other is"), HasSubstr("mine.ptx")));
}

TEST(ForeignKernel, ReadsStridesIfTheBindingPassesThem) {
  const Files files(with(kSiluBinding, "i32 x.count", "i32 x.extent[0] * x.stride[0]"), kSilu);

  const BatteryResult result = battery_of(ForeignKernel(files.word(), "", true));

  EXPECT_EQ(result.failed, 0) << result.first->record.reason;
}

TEST(ForeignKernel, IsFoundByItsNameInTheSource) {
  for (const char* name : {"silu_kernel<float>", "_Z11silu_kernelIfEvPKT_PS0_i"}) {
    const Files files(with(kSiluBinding, "silu_kernel", name), kSilu);
    EXPECT_EQ(ForeignKernel(files.word(), "", true).component(), "silu");
  }
  const std::string twice = kSilu.substr(kSilu.find(".visible"));
  const Files ambiguous(kSiluBinding,
                        kSilu + with(twice, "_Z11silu_kernelIfEvPKT_PS0_i", "_Z11silu_kernelIdEvPKT_PS0_i"));
  EXPECT_THAT(refusal(ambiguous),
              HasSubstr("'silu_kernel' matches several kernels: silu_kernel<double>, silu_kernel<float>"));
  EXPECT_THAT(refusal(Files(with(kSiluBinding, "silu_kernel", "silu"), kSilu)),
              HasSubstr("the source has no kernel 'silu'; it has silu_kernel<float>"));
}

TEST(ForeignKernel, TakesArgumentsOfTheKernelsNumberAndSize) {
  EXPECT_THAT(refusal(Files(with(kSiluBinding, "\"x\", ", ""), kSilu)),
              HasSubstr("'arguments' lists 2 arguments; kernel"));
  EXPECT_THAT(refusal(Files(with(kSiluBinding, "i32", "i64"), kSilu)),
              HasSubstr("argument 2 of 'arguments', 'x.count', has 8 bytes; parameter 2 of kernel"));
}

TEST(ForeignKernel, IsRefusedIfAFileIsMissingOrIsNoPtx) {
  EXPECT_THAT(refusal(Files(kSiluBinding, "no PTX")), HasSubstr("mine.ptx: "));
  EXPECT_THAT(refusal(Files(kSiluBinding, "")), HasSubstr("mine.ptx: "));
  const Files files(kSiluBinding, kSilu);
  EXPECT_THAT(refusal_of(ErrorCode::usage, [&] { return ForeignKernel("ptx:no/such.ptx", files.binding(), true); }),
              HasSubstr("no/such.ptx: no such file"));
}

TEST(ForeignKernel, IsRefusedBeyondWhatADeviceHas) {
  const auto refused = [](const std::string& from, const std::string& to) {
    return reason(with(kSiluBinding, from, to), kSilu);
  };

  EXPECT_THAT(refused("[256]", "[2048]"), HasSubstr("'block' '2048' is 2048; the allowed range is 1 to 1024"));
  EXPECT_THAT(refused("[256]", "[64, 64]"), HasSubstr("4096 threads"));
  EXPECT_THAT(refused("ceil_div(x.count, 256)", "1000000 * 1000000"),
              HasSubstr("'grid' '1000000 * 1000000' is 1000000000000"));
  EXPECT_THAT(refused("ceil_div(x.count, 256)", "2000000000"), HasSubstr("launches more than 2^26 threads"));
  EXPECT_THAT(refused("\"arguments\"", "\"shared\": 1000000, \"arguments\""),
              HasSubstr("'shared' '1000000' is 1000000; the allowed range is 0 to 232448"));
}

TEST(ForeignKernel, FailsOnlyInCasesThatReachAnInstructionThatIsNotKnown) {
  const Files files(kSiluBinding, with(kSilu, "neg.f32 %f2, %f1;",
                                       "setp.gt.s32 %p1, %r2, 1000;\n"
                                       "@%p1 stackrestore.u32 %r1;\nneg.f32 %f2, %f1;"));

  const BatteryResult result = battery_of(ForeignKernel(files.word(), "", false));

  EXPECT_GT(result.failed, 0);
  EXPECT_LT(result.failed, result.cases) << "the others went on";
  EXPECT_EQ(result.first->record.status, compare::Status::error);
  EXPECT_THAT(result.first->record.reason, HasSubstr("stackrestore.u32: this instruction is not known"));
}

TEST(ForeignKernel, ThatNeverEndsFails) {
  const Files files(kSiluBinding, with(kSilu, "@%p1 bra $L__BB0_2;", "$again:\nadd.s32 %r1, %r1, 1;\nbra $again;"));
  const ForeignKernel kernel(files.word(), "", false);

  const compare::Record record =
      worst_record({"silu", DType::f32, Lane::boundary, 17, {{'F', 3}, {'S', 1}}}, kernel.kernel());

  EXPECT_EQ(record.status, compare::Status::error);
  EXPECT_THAT(record.reason,
              AllOf(HasSubstr("deadlock: "), HasSubstr("exceeded its limit of instructions, at silu.cu:18 (PTX line")));
}

}  // namespace
}  // namespace parity::cases
