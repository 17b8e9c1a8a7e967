// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: kernels of somebody else, as nvcc compiles those of examples/cuda/, and bindings of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "golden/temporary_folder.hpp"

namespace parity::cases::tests {

inline const std::string kSiluBinding = R"json({
  "component": "silu",
  "kernels": {"f32": "silu_kernel"},
  "grid": ["ceil_div(x.count, 256)"],
  "block": [256],
  "arguments": ["x", "out", "i32 x.count"]
})json";

inline const std::string kNormBinding = R"json({
  "component": "rms_norm",
  "kernels": {"f32": "rms_norm"},
  "grid": ["N"],
  "block": [128],
  "shared": "4 * 128",
  "arguments": ["x", "weight", "out", "i32 H", "f32 eps", "f32 gain_offset"]
})json";

/// `text` with the first `from` replaced; the test fails if there is none.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// A kernel with its binding in a folder that goes with this object.
class Files {
 public:
  explicit Files(const std::string& binding, const std::string& ptx = "") {
    std::ofstream(folder_ / "mine.json") << binding;
    std::ofstream(folder_ / "mine.ptx") << ptx;
  }
  [[nodiscard]] std::string binding() const { return (folder_ / "mine.json").string(); }
  [[nodiscard]] std::string word() const { return "ptx:" + (folder_ / "mine.ptx").string(); }
  [[nodiscard]] std::filesystem::path add(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

 private:
  golden::TemporaryFolder folder_;
};

inline const std::string kSilu = R"(
.version 9.0
.target sm_90a
.address_size 64
.visible .entry _Z11silu_kernelIfEvPKT_PS0_i(
.param .u64 p0,
.param .u64 p1,
.param .u32 p2
)
{
.reg .pred %p<2>;
.reg .f32 %f<20>;
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
.loc 1 16 0
ld.param.u64 %rd1, [p0];
ld.param.u64 %rd2, [p1];
ld.param.u32 %r2, [p2];
.loc 1 17 3
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mov.u32 %r5, %tid.x;
mad.lo.s32 %r1, %r3, %r4, %r5;
.loc 1 18 3
setp.ge.s32 %p1, %r1, %r2;
@%p1 bra $L__BB0_2;
.loc 1 17 3
cvta.to.global.u64 %rd3, %rd1;
cvta.to.global.u64 %rd4, %rd2;
.loc 1 18 3
mul.wide.s32 %rd5, %r1, 4;
add.s64 %rd6, %rd4, %rd5;
add.s64 %rd7, %rd3, %rd5;
.loc 1 18 3
ld.global.f32 %f1, [%rd7];
.loc 1 18 3
neg.f32 %f2, %f1;
mov.f32 %f3, 0f3F000000;
mov.f32 %f4, 0f3BBB989D;
fma.rn.f32 %f5, %f2, %f4, %f3;
cvt.sat.f32.f32 %f6, %f5;
mov.f32 %f7, 0f4B400001;
mov.f32 %f8, 0f437C0000;
fma.rm.f32 %f9, %f6, %f8, %f7;
add.f32 %f10, %f9, 0fCB40007F;
neg.f32 %f11, %f10;
mov.f32 %f12, 0f3FB8AA3B;
fma.rn.f32 %f13, %f2, %f12, %f11;
mov.f32 %f14, 0f32A57060;
fma.rn.f32 %f15, %f2, %f14, %f13;
mov.b32 %r6, %f9;
shl.b32 %r7, %r6, 23;
mov.b32 %f16, %r7;
ex2.approx.ftz.f32 %f17, %f15;
fma.rn.f32 %f18, %f17, %f16, 0f3F800000;
div.rn.f32 %f19, %f1, %f18;
.loc 1 18 3
st.global.f32 [%rd6], %f19;
$L__BB0_2:
.loc 1 19 1
ret;
}
// .globl _Z11silu_kernelI13__nv_bfloat16EvPKT_PS1_i
.file 1 "/mine/silu.cu"
)";

inline const std::string kNorm = R"(
.version 9.0
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 sums[];
.visible .entry rms_norm(
.param .u64 p0,
.param .u64 p1,
.param .u64 p2,
.param .u32 p3,
.param .f32 p4,
.param .f32 p5
)
{
.reg .pred %p<8>;
.reg .f32 %f<24>;
.reg .b32 %r<21>;
.reg .b64 %rd<21>;
.loc 1 6 0
ld.param.u64 %rd7, [p0];
ld.param.u64 %rd5, [p1];
ld.param.u64 %rd6, [p2];
ld.param.u32 %r12, [p3];
ld.param.f32 %f5, [p4];
ld.param.f32 %f6, [p5];
.loc 1 9 3
cvta.to.global.u64 %rd1, %rd7;
mov.u32 %r13, %ctaid.x;
cvt.u64.u32 %rd8, %r13;
cvt.s64.s32 %rd9, %r12;
mul.lo.s64 %rd2, %rd9, %rd8;
.loc 1 11 3
mov.u32 %r20, %tid.x;
mov.f32 %f23, 0f00000000;
setp.lt.s32 %p1, %r20, %r12;
@%p1 bra $L__BB0_1;
bra.uni $L__BB0_3;
$L__BB0_1:
mov.u32 %r2, %ntid.x;
mov.u32 %r18, %r20;
$L__BB0_2:
cvt.s64.s32 %rd10, %r18;
add.s64 %rd11, %rd2, %rd10;
shl.b64 %rd12, %rd11, 2;
add.s64 %rd13, %rd1, %rd12;
ld.global.f32 %f9, [%rd13];
fma.rn.f32 %f23, %f9, %f9, %f23;
add.s32 %r18, %r18, %r2;
setp.lt.s32 %p2, %r18, %r12;
@%p2 bra $L__BB0_2;
$L__BB0_3:
.loc 1 12 3
shl.b32 %r14, %r20, 2;
mov.u32 %r15, sums;
add.s32 %r5, %r15, %r14;
st.shared.f32 [%r5], %f23;
.loc 1 13 3
bar.sync 0;
.loc 1 11 3
mov.u32 %r6, %ntid.x;
.loc 1 14 3
shr.u32 %r19, %r6, 1;
setp.eq.s32 %p3, %r19, 0;
@%p3 bra $L__BB0_7;
$L__BB0_4:
.loc 1 15 5
setp.ge.u32 %p4, %r20, %r19;
@%p4 bra $L__BB0_6;
shl.b32 %r16, %r19, 2;
add.s32 %r17, %r5, %r16;
ld.shared.f32 %f10, [%r5];
ld.shared.f32 %f11, [%r17];
add.f32 %f12, %f11, %f10;
st.shared.f32 [%r5], %f12;
$L__BB0_6:
.loc 1 16 5
bar.sync 0;
.loc 1 14 3
shr.u32 %r19, %r19, 1;
setp.ne.s32 %p5, %r19, 0;
@%p5 bra $L__BB0_4;
$L__BB0_7:
.loc 1 11 3
setp.ge.s32 %p6, %r20, %r12;
.loc 1 19 3
@%p6 bra $L__BB0_10;
.loc 1 18 3
ld.shared.f32 %f13, [sums];
.loc 1 9 3
cvta.to.global.u64 %rd3, %rd5;
cvta.to.global.u64 %rd4, %rd6;
.loc 1 18 3
cvt.rn.f32.s32 %f14, %r12;
div.rn.f32 %f15, %f13, %f14;
add.f32 %f16, %f15, %f5;
rsqrt.approx.f32 %f4, %f16;
$L__BB0_9:
.loc 1 20 5
cvt.s64.s32 %rd14, %r20;
add.s64 %rd15, %rd2, %rd14;
shl.b64 %rd16, %rd15, 2;
add.s64 %rd17, %rd1, %rd16;
ld.global.f32 %f17, [%rd17];
mul.f32 %f18, %f4, %f17;
mul.wide.s32 %rd18, %r20, 4;
add.s64 %rd19, %rd3, %rd18;
ld.global.f32 %f19, [%rd19];
add.f32 %f20, %f19, %f6;
mul.f32 %f21, %f18, %f20;
add.s64 %rd20, %rd4, %rd16;
st.global.f32 [%rd20], %f21;
.loc 1 19 40
add.s32 %r20, %r20, %r6;
.loc 1 19 3
setp.lt.s32 %p7, %r20, %r12;
@%p7 bra $L__BB0_9;
$L__BB0_10:
.loc 1 21 1
ret;
}
.file 1 "/mine/rms_norm.cu"
)";

}  // namespace parity::cases::tests
