// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// ldmatrix, stmatrix and movmatrix as kernels execute them.
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

/// Shared memory holds the words 0 to 127, which are rows of 16 bytes: word w is row w / 4. %r3 is the lane's row.
constexpr const char* kRows =
    ".shared .align 16 .b8 rows[512];\n"
    "mov.u32 %r2, rows; shl.b32 %r3, %r0, 4; add.u32 %r3, %r3, %r2;\n"
    "shl.b32 %r4, %r0, 2; add.u32 %r5, %r4, 1; add.u32 %r6, %r4, 2; add.u32 %r7, %r4, 3;\n"
    "st.shared.v4.b32 [%r3], {%r4, %r5, %r6, %r7};\nbar.warp.sync -1;\n";

TEST(MatrixRows, ldmatrixGivesEachLaneAWordOfTheRowOfItsGroup) {
  Given given = checked(32);

  const Ran ran = run_body(std::string(kRows) +
                               "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r3];\n"
                               "st.global.u32 [%rd9], %r12;",
                           given);

  EXPECT_EQ(findings_of(ran), "");
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(ran.words[lane], 64 + lane) << lane;
}

TEST(MatrixRows, ldmatrixOfOneMatrixReadsTheAddressesOfEightLanesAlone) {
  Given given = checked(32);

  const Ran ran = run_body(std::string(kRows) +
                               "setp.gt.u32 %p1, %r0, 7; @%p1 mov.u32 %r3, 1;\n"
                               "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r3];\nst.global.u32 [%rd9], %r10;",
                           given);

  EXPECT_EQ(findings_of(ran), "");
  EXPECT_EQ(ran.words[9], 9U);
}

TEST(MatrixRows, ldmatrixTransposesHalves) {
  const Ran ran = run_body(std::string(kRows) +
                           "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%r10, %r11}, [%r3];\n"
                           "st.global.u32 [%rd9], %r10;");

  // Lane 6 (column 1, rows 4 and 5) of a matrix whose row r has the halves 4 r, 0, 4 r + 1, 0, ...: column 1 is zeros.
  EXPECT_EQ(ran.words[6], 0U);
  // Lane 8: column 2, rows 0 and 1: words 1 and 5.
  EXPECT_EQ(ran.words[8], 1U | 5U << 16U);
  // Lane 3: column 0, rows 6 and 7.
  EXPECT_EQ(ran.words[3], 24U | 28U << 16U);
}

TEST(MatrixRows, stmatrixWritesWhatLdmatrixReads) {
  Given given = checked(32);

  const Ran ran = run_body(std::string(kRows) +
                               "mov.u32 %r10, %r0; add.u32 %r11, %r0, 100; bar.warp.sync -1;\n"
                               "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r3], {%r10, %r11}; bar.warp.sync -1;\n"
                               "ld.shared.u32 %r12, [%r3]; st.global.u32 [%rd9], %r12;",
                           given);

  EXPECT_EQ(findings_of(ran), "");
  EXPECT_EQ(ran.words[1], 4U);    // the first word of row 1 of matrix 0 is that of lane 4
  EXPECT_EQ(ran.words[9], 104U);  // of matrix 1
  EXPECT_EQ(ran.words[16], 64U);  // row 16 is not written
}

/// All rows at the address of row 0, of the words in %r10.
Ran one_row(const std::string& words) {
  Given given = checked(32);
  return run_body(std::string(kRows) + words +
                      "shfl.sync.idx.b32 %r3, %r3, 0, 31, -1;\n"
                      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r10};\n"
                      "ld.shared.u32 %r12, [%r3]; st.global.u32 [%rd9], %r12;",
                  given);
}

TEST(MatrixRows, equalRowsAtOneAddressAreNoRace) {
  const Ran ran = one_row("mov.u32 %r10, 7; bar.warp.sync -1;\n");

  EXPECT_EQ(findings_of(ran).find("this write"), std::string::npos);
  EXPECT_EQ(ran.words[0], 7U);
}

TEST(MatrixRows, differentRowsAtOneAddressAreARace) {
  const Ran ran = one_row("mov.u32 %r10, %r0; bar.warp.sync -1;\n");

  EXPECT_NE(findings_of(ran).find("this write of shared memory is not ordered after a write"), std::string::npos);
  EXPECT_EQ(ran.words[0], 28U);  // the last row's: word 0 is that of lane 28
}

TEST(MatrixRows, movmatrixTransposes) {
  const Ran ran = run_body(
      "mov.u32 %r1, %r0; movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n"
      "st.global.u32 [%rd9], %r2;");

  EXPECT_EQ(ran.words[0], 0U | 4U << 16U);  // column 0, rows 0 and 1: low halves of lanes 0 and 4
  EXPECT_EQ(ran.words[4], 0U);              // column 1: high halves
  EXPECT_EQ(ran.words[9], 9U | 13U << 16U);
}

TEST(MatrixRows, eachFaultOfARowIsFound) {
  const auto found = [](const std::string& before, const std::string& address) {
    Given given = checked(32);
    return findings_of(run_body(std::string(kRows) + before +
                                    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [" + address +
                                    "];",
                                given));
  };

  EXPECT_NE(found("", "%r3+8").find("misaligned"), std::string::npos);
  EXPECT_NE(found("", "%r3+512").find("out of bounds"), std::string::npos);
  EXPECT_NE(found("st.shared.u32 [%r2], %r0;", "%r3").find("race"), std::string::npos);
}

TEST(MatrixRows, aRowThatWasNeverWrittenIsFound) {
  Given given = checked(32);

  const Ran ran = run_body(
      ".shared .align 16 .b8 rows[512];\nmov.u32 %r2, rows; shl.b32 %r3, %r0, 4; add.u32 %r3, %r3, %r2;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r3];",
      given);

  EXPECT_NE(findings_of(ran).find("unwritten"), std::string::npos);
}

TEST(MatrixRows, missingLanesAreFound) {
  Given given = checked(16);

  const Ran ran = run_body("mov.u32 %r1, %r0; movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;", given);

  EXPECT_NE(findings_of(ran).find("needs all 32"), std::string::npos);
}

}  // namespace
}  // namespace parity::ptx
