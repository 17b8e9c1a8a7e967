// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A golden that needs more memory than is available loses its own result, but not the results of other goldens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

/// A model whose logits of 256 tokens and 65536 words take 128 MiB in binary64; the judge needs four such tensors.
constexpr const char* kManyWords = R"({"model_type": "minimax_m2", "vocab_size": 65536, "hidden_size": 32,
  "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16,
  "rms_norm_eps": 1e-6, "rope_theta": 10000, "rotary_dim": 8, "num_local_experts": 2, "num_experts_per_tok": 1})";

/// A limit on address space in which a small golden fits. Threads and arenas of malloc reserve more than they use.
constexpr const char* kLimit = "export OMP_NUM_THREADS=2 MALLOC_ARENA_MAX=1; ulimit -v 524288;";

TEST(OutOfMemory, CostsOneGoldenAndNotTheReport) {
  if (PARITY_SANITIZED) GTEST_SKIP() << "sanitizers need the address space";
  const TemporaryFolder scratch;
  const std::string large = (scratch / "large").string(), report = (scratch / "report.json").string();
  write(scratch / "config.json", kManyWords);
  const Output made = run_program({"golden", "synthesize", large, "--config", (scratch / "config.json").string(),
                                   "--batch", "1", "--tokens", "256", "--decode", "0"});
  ASSERT_EQ(made.exit_code, holds) << made.err;

  for (const bool first : {true, false}) {
    std::vector<std::string> command{"run", kGolden, "--quiet", "--json", report};
    command.insert(command.begin() + (first ? 1 : 2), large);
    const Output output = run_program(command, kLimit);

    EXPECT_EQ(output.exit_code, internal_error) << output.err;
    EXPECT_THAT(output.err, HasSubstr("large: out of memory; judge this golden alone"));
    const auto document = nlohmann::json::parse(content(report), nullptr, false);
    ASSERT_TRUE(document.is_object()) << output.err;
    EXPECT_EQ(document["goldens"][first ? 0 : 1]["verdict"], "error");
    EXPECT_EQ(document["goldens"][first ? 1 : 0]["verdict"], "pass") << "the other one's result";
    fs::remove(report);
  }
}

}  // namespace
}  // namespace parity::cli
