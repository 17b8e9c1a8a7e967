// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Damaged or hostile goldens end with exit code 3 and one line on stderr that names the file and the remedy.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/damage.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

/// A way to damage a golden, and what the message about the damage must mention.
struct Case {
  const char* name;
  int exit_code;
  std::vector<std::string> mentions;
  Damage damage;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }

const Tensor kShort(DType::f32, {2, 1}, "B,S");
constexpr const char* kIds = "steps/001/tokens/input_ids";

const std::vector<Case> kCases{
    {"EmptyRecording", 3, {"activations.h5", "not an HDF5 file", "name an activations.h5"}, cut("activations.h5", 0.0)},
    {"SevenBytes", 3, {"activations.h5", "not an HDF5 file"}, cut("activations.h5", 7)},
    {"SignatureOnly", 3, {"activations.h5"}, cut("activations.h5", 8)},
    {"HundredBytes", 3, {"activations.h5"}, cut("activations.h5", 100)},
    {"AQuarterOfTheRecording", 3, {"activations.h5"}, cut("activations.h5", 0.25)},
    {"HalfOfTheRecording", 3, {"activations.h5"}, cut("activations.h5", 0.5)},
    {"NearlyAllOfTheRecording", 3, {"activations.h5"}, cut("activations.h5", 0.999)},
    {"TwoToThe60Elements",
     3,
     {"steps/000/text/absurd", "cannot be stored in a file", "copy it again"},
     add_absurd_dataset},
    {"NoTokens", 3, {kIds, "is missing", "record the golden again"}, without(kIds)},
    {"NoPositions",
     3,
     {"steps/000/tokens/position_ids", "is missing", "record the golden again"},
     without("steps/000/tokens/position_ids")},
    {"NoSteps", 3, {"steps/000", "record the golden again"}, without("steps/*")},
    {"TokensOfAnotherType", 3, {kIds, "is f32", "expected i64"}, tap(kIds, kShort)},
    {"TokensOfAnotherShape", 3, {kIds, "(3)", "expected [B,S]"}, tap(kIds, Tensor(DType::i64, {3}, "B"))},
    {"MaskOfAnotherLength",
     3,
     {"steps/001/tokens/attention_mask", "50 slots", "expected 51"},
     tap("steps/001/tokens/attention_mask", Tensor(DType::i64, {2, 50}, "B,K"))},
    {"AnotherWorkingType", 3, {"dtype 'f8'", "bf16, f32 or f64"}, attribute("dtype", "f8")},
    {"AnotherSystem", 1, {"system 'gpt2'", "known: minimax_m3_vl"}, attribute("system", "gpt2")},
    {"AnotherRelease", 1, {"profile 'hf-4.0.0'", "known: hf-5.12.0"}, attribute("profile", "hf-4.0.0")},
    {"AReleaseOfSeveralLines",
     1,
     {"profile 'hf", "known: hf-5.12.0"},
     attribute("profile", "hf\nparity: all is well\n\x1b[2J")},
    {"NaNInConfig",
     3,
     {"config.json", "not JSON (NaN and Infinity are not allowed either)"},
     config("\"rms_norm_eps\": 1e-06", "\"rms_norm_eps\": NaN", false)},
    {"ConfigOfAnotherModel",
     3,
     {"config.json differs", "/hidden_size", "copy it again"},
     config("\"hidden_size\": 16", "\"hidden_size\": 18", false)},
    {"ConfigWithATextForANumber",
     3,
     {"'hidden_size' is \"16\"", "expected an integer"},
     config("\"hidden_size\": 16", "\"hidden_size\": \"16\"", true)},
    {"ConfigWithATextForAFlag",
     3,
     {"'output_router_logits' is \"yes\"", "expected true or false"},
     config("\"output_router_logits\": true", "\"output_router_logits\": \"yes\"", true)},
    {"ConfigWithANegativeSize",
     3,
     {"'hidden_size' is -16", "expected 1 to"},
     config("\"hidden_size\": 16", "\"hidden_size\": -16", true)},
    {"ConfigWithTwoBillionExperts",
     3,
     {"num_local_experts", "expected 1 to"},
     config("\"num_local_experts\": 7", "\"num_local_experts\": 2000000000", true)},
    {"ConfigIsAFolder", 3, {"config.json", "name a file"}, instead("checkpoint/config.json", folder_at)},
    {"HeaderOfLengthZero", 3, {"model.safetensors", "header has 0 bytes"}, header([](std::string& b) {
       b.replace(0, 8, 8, '\0');
     })},
    {"HeaderOfLengthMinusOne", 3, {"model.safetensors", "the header claims"}, header([](std::string& b) {
       b.replace(0, 8, 8, '\xff');
     })},
    {"WeightOfTwoToThe60Elements", 3, {"model.safetensors", "1152921504606846976"}, header(claim_2_to_the_60_elements)},
    {"HalfOfTheWeights", 3, {"model.safetensors", "copy"}, cut("checkpoint/model.safetensors", 0.5)},
    {"NoWeightsAtAll",
     3,
     {"checkpoint", "contains neither model.safetensors"},
     instead("checkpoint/model.safetensors", nullptr)},
    {"WeightsAreAFolder", 3, {"model.safetensors", "name a file"}, instead("checkpoint/model.safetensors", folder_at)},
    {"WeightsAreADanglingLink",
     3,
     {"checkpoint", "copy the checkpoint there"},
     instead("checkpoint/model.safetensors", dangling_link_at)},
    {"WeightsAreADevice",
     3,
     {"model.safetensors", "not a regular file"},
     instead("checkpoint/model.safetensors", device_at)},
    {"RecordingIsAFolder", 3, {"activations.h5", "name a"}, instead("activations.h5", folder_at)},
    {"RecordingIsADanglingLink",
     3,
     {"activations.h5", "name a golden's folder, or record the golden"},
     instead("activations.h5", dangling_link_at)},
    {"RecordingIsADevice", 3, {"activations.h5", "not a regular file"}, instead("activations.h5", device_at)},
    {"NoGolden",
     3,
     {"no such golden", "correct the path, or record the golden"},
     [](const fs::path& folder) { fs::remove_all(folder); }},
};

class BadInput : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Golden, BadInput, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(BadInput, IsOneLineThatNamesPlaceAndRemedy) {
  const TemporaryFolder scratch;
  const fs::path folder = copy_golden(kGolden, scratch / "golden", {});
  GetParam().damage(folder);
  // The limit keeps a defect from exhausting the machine. Sanitizers need the address space, so they run without it.
  const Output output = run_program({"run", folder.string(), "--quiet"}, PARITY_SANITIZED ? "" : "ulimit -v 2000000;");

  EXPECT_EQ(output.exit_code, GetParam().exit_code) << output.err;
  ASSERT_EQ(lines(output.err).size(), 1U) << output.err;
  EXPECT_THAT(output.err, ::testing::StartsWith("parity: "));
  EXPECT_THAT(output.err, HasSubstr(folder.string()));
  for (const std::string& mention : GetParam().mentions) EXPECT_THAT(output.err, HasSubstr(mention));
  EXPECT_LT(output.err.size(), 700U);
  const char* said = GetParam().exit_code == golden_damaged ? "ERROR  golden" : "NOT SHOWN  golden";
  EXPECT_THAT(output.out, HasSubstr(said)) << "the result says it too";
  EXPECT_EQ(output.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace parity::cli
