// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/text/source_name.hpp"

#include <gtest/gtest.h>

namespace parity::ptx {
namespace {

TEST(SourceName, LeavesTypesOfResultAndParametersOut) {
  EXPECT_EQ(source_name("_Z11silu_kernelIfEvPKT_PS0_i"), "silu_kernel<float>");
  EXPECT_EQ(source_name("_Z11silu_kernelI13__nv_bfloat16EvPKT_PS1_i"), "silu_kernel<__nv_bfloat16>");
  EXPECT_EQ(source_name("_ZN4mine4normEPKfPfi"), "mine::norm");
  EXPECT_EQ(source_name("_ZN12_GLOBAL__N_14normEPKfPfi"), "(anonymous namespace)::norm");
}

TEST(SourceName, OfWhatIsNotMangledIsTheNameItself) {
  for (const char* name : {"rms_norm", "i", "_Zwrong", ""}) EXPECT_EQ(source_name(name), name);
}

}  // namespace
}  // namespace parity::ptx
