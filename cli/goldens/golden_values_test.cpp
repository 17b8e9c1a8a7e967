// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity golden values` writes what the judge compares with; `--json` of `list` and `show` describes calls as data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"
#include "golden/files/activation_file.hpp"

namespace parity::cli {
namespace {

using namespace tests;
using nlohmann::json;
using ::testing::HasSubstr;

const std::string kNormed = "steps/000/text/final_norm/out";

TEST(GoldenValues, AreExactAndRoundedAndTheirLimitHoldsTheRecording) {
  const TemporaryFolder scratch;
  const std::string file = (scratch / "values.h5").string(), golden = "golden/data/m3-text-bf16";
  const Output output = run_program({"golden", "values", golden, file, "--select", kNormed, "--quiet"});
  ASSERT_EQ(output.exit_code, holds) << output.err;

  const auto values = golden::ActivationFile::open(file);
  const auto recorded = golden::ActivationFile::open(golden + "/activations.h5");
  const Tensor got = widen(recorded.read(kNormed)), exact = values.read("exact/" + kNormed),
               rounded = values.read("rounded/" + kNormed), limit = values.read("limit/" + kNormed);

  ASSERT_EQ(exact.shape(), got.shape());
  int64_t narrower = 0;
  for (int64_t i = 0; i < got.view().count(); ++i) {
    EXPECT_EQ(rounded.f64()[i], round_to(DType::bf16, rounded.f64()[i]));
    EXPECT_LE(std::abs(got.f64()[i] - exact.f64()[i]), limit.f64()[i]);
    narrower += exact.f64()[i] != rounded.f64()[i] ? 1 : 0;
  }
  EXPECT_GT(narrower, got.view().count() / 2);
}

TEST(GoldenValues, OfNoTapAreAMistakeAndNoFileIsReplaced) {
  const TemporaryFolder scratch;
  const std::string file = (scratch / "values.h5").string();
  const Output none = run_program({"golden", "values", kGolden, file, "--select", "*/nowhere", "--quiet"});
  EXPECT_EQ(none.exit_code, usage);
  EXPECT_THAT(none.err, HasSubstr("matches '*/nowhere'"));
  EXPECT_FALSE(fs::exists(file));

  write(file, "mine");
  EXPECT_EQ(run_program({"golden", "values", kGolden, file}).exit_code, usage);
  EXPECT_EQ(content(file), "mine");
}

TEST(Signatures, HaveOperandsParametersAndFusions) {
  const json document = json::parse(run_program({"list", "components", "--json", "-"}).out);
  json found;
  for (const json& component : document["components"]) found[component["name"].get<std::string>()] = component;

  const json& attention = found["attention_block_sparse"];
  EXPECT_EQ(attention["inputs"][0]["name"], "q");
  EXPECT_EQ(attention["inputs"][3], (json{{"name", "mask"}, {"axes", "B,U"}, {"optional", true}, {"integers", true}}));
  EXPECT_EQ(found["swiglu"]["outputs"][0]["judge"], "value");
  EXPECT_EQ(found["rms_norm"]["params"][1],
            (json{{"name", "gain_offset"}, {"type", "float"}, {"default", 1.0}, {"among", {0.0, 1.0}}}));
  EXPECT_TRUE(found.contains("add_norm"));
  EXPECT_EQ(run_program({"list", "faults", "--json", "-"}).exit_code, usage);
}

TEST(Signatures, OfATapNameItsOperands) {
  const json document = json::parse(run_program({"show", kGolden + "#" + kNormed, "--json", "-"}).out);

  EXPECT_EQ(document["component"], "rms_norm");
  EXPECT_EQ(document["inputs"]["weight"][0]["published"].size(), 1U);
  EXPECT_THAT(document["inputs"]["x"][0]["tap"].get<std::string>(), HasSubstr("steps/000/text/layers/"));
  EXPECT_EQ(run_program({"show", "rms_norm", "--json", "-"}).exit_code, usage);
}

}  // namespace
}  // namespace parity::cli
