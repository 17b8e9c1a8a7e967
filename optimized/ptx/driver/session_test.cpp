// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/driver/session.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using Json = nlohmann::json;

/// A folder with k.ptx and x.bin; both go with it.
class PtxSession : public testing::Test {
 protected:
  PtxSession() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("ptx_session_{}", testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    put("x.bin", std::string("\1\0\0\0\2\0\0\0", 8));
    put("k.ptx", kernel_of("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];\n"
                           "add.s32 %r1, %r1, %r2; st.global.u32 [%rd9], %r1;"));
  }
  ~PtxSession() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] static Json description() {
    return Json::parse(R"({"ptx": "k.ptx", "buffers": {"y": {"bytes": 8, "fill": 0}, "x": {"file": "x.bin"}},
      "launches": [{"kernel": "k", "block": [2], "parameters": [{"buffer": "y"}, {"buffer": "x"}]}],
      "outputs": {"y": "y.bin"}})");
  }
  [[nodiscard]] std::string refusal(const Json& given) const {
    try {
      static_cast<void>(run_session(given, folder_));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

TEST_F(PtxSession, RunsLaunchesAndWritesOutputs) {
  const Json outcome = run_session(description(), folder_);

  std::ifstream file(folder_ / "y.bin", std::ios::binary);
  const std::string y((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(y, std::string("\3\0\0\0\3\0\0\0", 8));
  EXPECT_TRUE(outcome.at("launches").at(0).at("findings").empty());
  EXPECT_GT(outcome.at("launches").at(0).at("warp_instructions").get<int>(), 5);
}

TEST_F(PtxSession, ReportsFindingsWithTheirLines) {
  Json given = description();
  given["launches"][0]["block"] = {4};

  const Json outcome = run_session(given, folder_);

  const Json& findings = outcome.at("launches").at(0).at("findings");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.at(0).at("kind"), "out of bounds");
  EXPECT_GT(findings.at(0).at("line").get<int>(), 0);
}

TEST_F(PtxSession, RefusesParametersOfAnotherSize) {
  Json given = description();
  given["launches"][0]["parameters"][1] = {{"i32", 7}};

  EXPECT_EQ(refusal(given), "k parameter 1: 4 bytes were given, it has 8");
}

TEST_F(PtxSession, NamesABufferThatIsMissing) {
  Json given = description();
  given["launches"][0]["parameters"][1] = {{"buffer", "w"}};

  EXPECT_EQ(refusal(given), "k parameter 1: there is no buffer w; add it to \"buffers\"");
}

TEST_F(PtxSession, RefusesADescriptionWithoutPtx) {
  Json given = description();
  given.erase("ptx");

  EXPECT_NE(refusal(given).find("key 'ptx' not found"), std::string::npos);
}

TEST_F(PtxSession, LaysOutFieldsAsAStruct) {
  put("s.ptx",
      ".version 9.0\n.target sm_90a\n.address_size 64\n"
      ".visible .entry s(.param .u64 p0, .param .align 8 .b8 p1[16]) {\n.reg .b32 %r<2>; .reg .b64 %rd<3>;\n"
      "ld.param.u64 %rd0, [p0]; ld.param.u32 %r1, [p1]; ld.param.u64 %rd1, [p1+8]; cvt.u64.u32 %rd2, %r1;\n"
      "add.s64 %rd1, %rd1, %rd2; st.global.u64 [%rd0], %rd1; ret;\n}\n");
  const Json given = Json::parse(R"({"ptx": "s.ptx", "buffers": {"y": {"bytes": 8}},
    "launches": [{"kernel": "s", "parameters": [{"buffer": "y"}, {"fields": [{"i32": 3}, {"i64": 40}]}]}],
    "outputs": {"y": "y.bin"}})");

  static_cast<void>(run_session(given, folder_));

  std::ifstream file(folder_ / "y.bin", std::ios::binary);
  EXPECT_EQ(file.get(), 43);
}

TEST_F(PtxSession, CountsRefusedOpcodes) {
  put("refused.ptx", kernel_of("add.s32 %r1, %r1, %r1; frobnicate.b32 %r1, %r1; frobnicate.b32 %r2, %r1;"));

  const Json listed = list_opcodes({(folder_ / "refused.ptx").string()});

  EXPECT_EQ(listed.at("opcodes").at("add.s32"), 1);
  ASSERT_EQ(listed.at("refused").size(), 1U);
  EXPECT_EQ(listed.at("refused").at(0).at("opcode"), "frobnicate.b32");
  EXPECT_EQ(listed.at("refused").at(0).at("times"), 2);
}

}  // namespace
}  // namespace parity::ptx
