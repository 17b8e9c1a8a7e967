// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// PARITY_CUDA_MODULES: modules of a folder in place of those built in.
#include "optimized/cuda/modules.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "core/error.hpp"

namespace parity::optimized::cuda {
namespace {

class ReplacedModules : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_modules()) GTEST_SKIP() << "this build has no nvcc";
    std::filesystem::create_directories(folder_);
    setenv("PARITY_CUDA_MODULES", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("PARITY_CUDA_MODULES");
    std::filesystem::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  static std::string error_of_rms_norm() {
    try {
      static_cast<void>(module_text("rms_norm", 80));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

/// An assembler may join those that do not, and a GPU then gives other bits than the PTX machine.
TEST(Modules, SayHowTheirProductsAndSumsRound) {
  const std::vector<std::pair<std::string, int>> modules{
#define PARITY_MODULE(name, capability, file) {#name, capability},
#include "optimized/cuda_modules.def"
#undef PARITY_MODULE
  };
  size_t sums = 0;
  for (const auto& [name, capability] : modules) {
    const std::string_view text = module_text(name, capability);
    for (const char* const what : {"add", "sub", "mul", "mad"}) {
      for (const char* const kind : {".f32", ".ftz.f32", ".sat.f32", ".f64", ".f16", ".f16x2", ".bf16", ".bf16x2"}) {
        const std::string opcode = fmt::format("{}{} ", what, kind);
        for (const char before : {'\t', ' ', '{', ';'})
          EXPECT_EQ(text.find(before + opcode), std::string_view::npos) << opcode << "in " << name;
      }
    }
    sums += text.find("\tadd.rn.f32 ") != std::string_view::npos ? 1U : 0U;
  }
  EXPECT_TRUE(modules.empty() || sums > 10) << "the search finds nothing";
}

TEST_F(ReplacedModules, AreThoseThatTheFolderHolds) {
  const std::string_view built_in = module_text("silu", 80);
  write("rms_norm.80.ptx", "other");

  EXPECT_EQ(module_text("rms_norm", 80), "other");
  EXPECT_EQ(module_text("rms_norm", 90), "other");
  EXPECT_EQ(module_text("silu", 80), built_in);
}

TEST_F(ReplacedModules, AreSaidToBeInPlaceOfOthers) {
  write("rms_norm.80.ptx", "other");

  ::testing::internal::CaptureStderr();
  static_cast<void>(module_text("rms_norm", 80));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("rms_norm.80.ptx replace the built-in kernels"));
}

TEST_F(ReplacedModules, SayOnceWhichOfTheirKernelsAreStarted) {
  write("rms_norm.80.ptx", "other");
  static_cast<void>(module_text("rms_norm", 80));

  ::testing::internal::CaptureStderr();
  for (const char* kernel : {"rms_norm_f32", "rms_norm_bf16", "rms_norm_f32"}) say_started("rms_norm", kernel);
  say_started("softmax_router", "softmax_router");  // built in
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "parity: kernel rms_norm_f32 of rms_norm is started\n"
            "parity: kernel rms_norm_bf16 of rms_norm is started\n");
}

TEST_F(ReplacedModules, HaveAText) {
  write("rms_norm.80.ptx", "");

  EXPECT_THAT(error_of_rms_norm(), ::testing::HasSubstr("rms_norm.80.ptx is empty or cannot be read"));
}

TEST_F(ReplacedModules, NeedAFolder) {
  setenv("PARITY_CUDA_MODULES", (folder_ / "nowhere").c_str(), 1);

  EXPECT_THAT(error_of_rms_norm(), ::testing::HasSubstr("which is no folder"));
}

}  // namespace
}  // namespace parity::optimized::cuda
