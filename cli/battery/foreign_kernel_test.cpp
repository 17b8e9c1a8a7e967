// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity battery` of a kernel out of the tree: its report, its documents, its mistakes.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cases/foreign/testing/kernels.hpp"
#include "cli/exit_codes.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using namespace tests;
using cases::tests::Files;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Output battery_of(const Files& files, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"battery", "--kernel", files.word(), "--cases", "8", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

TEST(ForeignKernelOfBattery, PassesIfItIsRight) {
  const Files files(cases::tests::kSiluBinding, cases::tests::kSilu);

  const Output output = battery_of(files);

  EXPECT_EQ(output.exit_code, holds) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("kernel ptx:"), HasSubstr("0 of "), HasSubstr("PASS  guards of f32")));
}

TEST(ForeignKernelOfBattery, IsReducedAndReproducedIfItIsWrong) {
  const Files files(cases::tests::with(cases::tests::kSiluBinding, "ceil_div(x.count, 256)", "x.count / 256"),
                    cases::tests::kSilu);

  const Output output = battery_of(files, {"--json", "-", "--unchecked"});

  EXPECT_EQ(output.exit_code, broken);
  const auto document = nlohmann::json::parse(output.out);
  EXPECT_EQ(document["kind"], "battery");
  const auto& component = document["components"][0];
  EXPECT_EQ(component["component"], "silu");
  EXPECT_GT(component["failed"], 0);
  EXPECT_EQ(component["first"]["tap"], "out");
  const auto repro = component["first"]["repro"].get<std::string>();
  EXPECT_THAT(repro, AllOf(HasSubstr(files.word()), HasSubstr("--unchecked --case silu:f32:")));
  const std::string one = repro.substr(repro.rfind(' ') + 1);
  EXPECT_EQ(run_program({"battery", "--kernel", files.word(), "--unchecked", "--case", one}).exit_code, broken);
}

TEST(ForeignKernelOfBattery, HasEachFindingAsABlockOfShortLines) {
  using cases::tests::text_in;
  const Files files(text_in("examples/triton/rms_norm.json"),
                    cases::tests::with(cases::tests::kTritonNorm, "bar.sync", "// "));
  static_cast<void>(files.add("rms_norm.meta.json", text_in("examples/triton/rms_norm.meta.json")));

  const Output output = battery_of(files);

  EXPECT_EQ(output.exit_code, broken);
  EXPECT_THAT(output.out,
              AllOf(HasSubstr("     why   the PTX machine found "), HasSubstr("     found race in rms_norm: "),
                    HasSubstr("\n           block (0,0,0) thread (0,0,0), at rms_norm.py:"), Not(HasSubstr(" | "))));
  for (const std::string& line : lines(output.out)) {
    if (line.find(files.word()) != std::string::npos) continue;
    EXPECT_LE(line.size(), 100) << line;
  }
}

TEST(ForeignKernelOfBattery, CountsCasesThatItsBindingChanges) {
  const Files files(
      cases::tests::with(cases::tests::kSiluBinding, "\"block\"", R"("requires": ["F % 8 == 0"], "block")"),
      cases::tests::kSilu);

  const Output output = battery_of(files, {"--unchecked"});

  EXPECT_EQ(output.exit_code, holds) << output.out;
  EXPECT_THAT(output.out, AllOf(HasSubstr("because the binding requires F % 8 == 0, "),
                                HasSubstr(" got other extents and 0 were skipped")));
}

TEST(ForeignKernelOfBattery, EndsWithTheConditionIfNoCaseIsLeft) {
  const Files files(
      cases::tests::with(cases::tests::kSiluBinding, "\"block\"", R"("requires": ["F == F + 1"], "block")"),
      cases::tests::kSilu);

  const Output output = battery_of(files);

  EXPECT_NE(output.exit_code, holds);
  EXPECT_THAT(output.err, HasSubstr("no random case of silu fulfils the key 'requires' of the binding: F == F + 1"));
}

TEST(ForeignKernelOfBattery, ThatBreaksAGuardFails) {
  const std::string changes_its_input = cases::tests::with(cases::tests::kSilu, "st.global.f32 [%rd6], %f19;",
                                                           "st.global.f32 [%rd7], %f19; st.global.f32 [%rd6], %f19;");
  const Files files(cases::tests::kSiluBinding, changes_its_input);

  const Output output = battery_of(files, {"--unchecked"});

  EXPECT_EQ(output.exit_code, broken);
  EXPECT_THAT(output.out, HasSubstr("FAIL  guards of f32 (12 calls): inputs unchanged"));
}

TEST(ForeignKernelOfBattery, WithoutNvccEndsWithOneLine) {
  const Output output = run_program({"battery", "--kernel", "cu:examples/cuda/silu.cu"}, "PARITY_NVCC=/no/such/nvcc");

  EXPECT_EQ(output.exit_code, device_absent);
  EXPECT_EQ(lines(output.err).size(), 1) << output.err;
  EXPECT_THAT(output.err, HasSubstr("PARITY_NVCC is /no/such/nvcc, which cannot be run"));
}

TEST(ForeignKernelOfBattery, ShowsTheFirstErrorOfNvccAndLeavesNoFiles) {
  const TemporaryFolder folder;
  write(folder / "nvcc",
        "#!/bin/sh\necho a warning\necho 'mine.cu(3): error: expected a declaration' >&2\n"
        "echo 'mine.cu(4): error: another' >&2\nexit 2\n");
  fs::permissions(folder / "nvcc", fs::perms::owner_all);
  fs::create_directory(folder / "tmp");

  const Output output =
      run_program({"battery", "--kernel", "cu:examples/cuda/silu.cu"},
                  "PARITY_NVCC=" + (folder / "nvcc").string() + " TMPDIR=" + (folder / "tmp").string());

  EXPECT_EQ(output.exit_code, usage);
  EXPECT_EQ(output.err,
            "parity: examples/cuda/silu.cu: nvcc cannot compile it: mine.cu(3): error: expected a declaration; fix the "
            "source\n");
  EXPECT_TRUE(fs::is_empty(folder / "tmp"));
}

TEST(ForeignKernelOfBattery, NamesMistakesOfTheCommandLine) {
  const Files files(cases::tests::kSiluBinding, cases::tests::kSilu);

  const Output other = battery_of(files, {"rms_norm"});
  EXPECT_EQ(other.exit_code, usage);
  EXPECT_THAT(other.err, HasSubstr("states that the kernel computes silu, not rms_norm"));
  const Output binding = run_program({"battery", "--kernel", "reference", "--binding", files.binding()});
  EXPECT_EQ(binding.exit_code, usage);
  EXPECT_THAT(binding.err, HasSubstr("--binding and --unchecked require --kernel cu:FILE"));
  const Output missing = run_program({"battery", "--kernel", "cu:no/such.cu"});
  EXPECT_EQ(missing.exit_code, usage);
  EXPECT_THAT(missing.err, HasSubstr("no/such.cu: no such file; name the source file of the kernel"));
  const Output nearest = run_program({"battery", "--kernel", files.word(), "--binding", "examples/cuda/sliu.json"});
  EXPECT_THAT(nearest.err, HasSubstr("examples/cuda/sliu.json: no such file (did you mean 'silu.json'?)"));
}

TEST(ForeignKernelOfBattery, CountsWhatOneCaseCosts) {
  const Files files(cases::tests::kSiluBinding, cases::tests::kSilu);
  const std::vector<std::string> one{"battery", "--case", "silu:f32:anywhere:1:S4,F64", "--counters", "--kernel"};
  const auto counted = [&](const std::string& kernel) {
    std::vector<std::string> words = one;
    words.push_back(kernel);
    return run_program(words);
  };

  const Output output = counted(files.word());

  EXPECT_EQ(output.exit_code, holds) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("silu_kernel"), HasSubstr("silu.cu:18"), HasSubstr("PASS  case silu")));
  EXPECT_THAT(counted("reference").err, HasSubstr("--counters counts CUDA kernels, but the case launched none"));
}

}  // namespace
}  // namespace parity::cli
