// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Mistakes on the command line: one line on stderr that says what is meant, and the documented exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace testing;

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  int exit_code;
  std::vector<std::string> mentions;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }

const std::string kConfig = kGolden + "/checkpoint/config.json";
const std::string kFile = kGolden + "/activations.h5";

const std::vector<Case> kCases{
    {"Nothing", {}, usage, {"subcommand is required", "parity --help"}},
    {"UnknownCommand", {"rnu", kGolden}, usage, {"did you mean 'run'"}},
    {"UnknownCommandOfGolden", {"golden", "verfy", kGolden}, usage, {"did you mean 'verify'"}},
    {"UnknownOption", {"run", kGolden, "--mdoe", "isolated"}, usage, {"--mdoe", "did you mean '--mode'"}},
    {"UnknownOptionWithValue", {"run", kGolden, "--jsn=x"}, usage, {"--jsn", "did you mean '--json'"}},
    {"UnknownOptionOfGolden", {"golden", "ls", kGolden, "--slect", "x"}, usage, {"--slect", "did you mean '--select'"}},
    {"NoGolden", {"run"}, usage, {"no golden is named", "--synthetic"}},
    {"SyntheticModelUnknown",
     {"run", "--quiet", "--synthetic", "gpt2"},
     usage,
     {"'gpt2' is no published model", "m3, m2, text01"}},
    {"SyntheticLayerUnknown", {"run", "--quiet", "--synthetic", "m3", "--layers", "60"}, usage, {"layer 60", "0..59"}},
    {"SyntheticVocabularyOfOne",
     {"run", "--quiet", "--synthetic", "m2", "--words", "1"},
     usage,
     {"1 words", "2 or more"}},
    {"ProfileOfBinary64",
     {"run", kGolden, "--quiet", "--profile", "hf-5.12.0-f64"},
     usage,
     {"binary64", "leave the suffix away"}},
    {"SizesWithoutSynthetic", {"run", kGolden, "--tokens", "9"}, usage, {"--tokens", "--synthetic"}},
    {"SizesOfDrawnModels",
     {"run", "--synthetic", "m3", "--cases", "2", "--layers", "1"},
     usage,
     {"--cases", "excludes", "--layers"}},
    {"SizesOfOneDrawnModel",
     {"run", "--synthetic", "m3", "--case", "m3:f32:boundary:1", "--tokens", "9"},
     usage,
     {"--case", "excludes", "--tokens"}},
    {"SelftestOfNoFalseAlarms", {"selftest", "--false-alarms", "0"}, usage, {"0 correct runs prove nothing"}},
    {"SelftestOfNoCorruptions", {"selftest", "--corruptions", "0"}, usage, {"0 corruptions cannot be made"}},
    {"UnknownFault",
     {"run", kGolden, "--candidate", "fault:nothing-like-it"},
     usage,
     {"nothing-like-it", "see parity list faults"}},
    {"FaultOfNoNodeOfTheModel",
     {"run", "--synthetic", "m2", "--layers", "0", "--candidate", "fault:patchify-mean"},
     usage,
     {"it is a fault of patchify", "m2"}},
    {"BatteryWithoutExactCases",
     {"battery", "patchify", "--kernel", "reference", "--lanes", "exact", "--quiet"},
     broken,
     {"no exact cases of patchify", "faults/correct/exact_*.cpp"}},
    {"BatteryWithoutACorrectKernel",
     {"battery", "gather", "--quiet"},
     broken,
     {"no correct kernel of gather", "--kernel reference", "faults/correct/"}},
    {"GuardsOfNoComponent",
     {"selftest", "--guards", "--components", "rms_nrm"},
     usage,
     {"'rms_nrm'", "did you mean 'rms_norm'"}},
    {"ShowOfNoFusion", {"show", "add_nrm"}, usage, {"'add_nrm'", "did you mean 'add_norm'"}},
    {"SelftestOfTwoKinds", {"selftest", "--judges", "--guards"}, usage, {"--guards", "--judges"}},
    {"ValueMissing", {"run", kGolden, "--mode"}, usage, {"--mode"}},
    {"UnknownCandidate",
     {"run", kGolden, "--candidate", "refernce"},
     usage,
     {"'refernce'", "did you mean 'reference'", "capture:FILE"}},
    {"AbsentBackend",
     {"run", kGolden, "--candidate", "cuda"},
     device_absent,
     {"'cuda'", "no such backend", "use golden"}},
    {"AbsentVariant",
     {"run", kGolden, "--candidate", "cpu:avx512"},
     device_absent,
     {"'cpu:avx512'", "no such backend"}},
    {"BenchOfNoTable", {"bench", "--table", "sdpa-mas"}, usage, {"'sdpa-mas'", "did you mean 'sdpa-msa'"}},
    {"BenchOfNoSelection",
     {"bench", "--table", "sdpa-msa", "--selection", "modell"},
     usage,
     {"'modell'", "did you mean 'model'"}},
    {"BenchOfTooFewSamples", {"bench", "--samples", "2"}, usage, {"too few"}},
    {"BenchOfTooManySamples", {"bench", "--samples", "100001"}, usage, {"100001", "100000 at most"}},
    {"BenchIntoNothing", {"bench", "--save", "/proc/nothing"}, usage, {"cannot write /proc/nothing"}},
    {"BenchTableOfABaseline", {"bench", "--table", "top-k", "--save", "x"}, usage, {"--table", "excludes", "--save"}},
    {"BenchJsonOfNoTable", {"bench", "--json", "x"}, usage, {"--json", "requires", "--table"}},
    {"BenchTableOfNoBatch", {"bench", "--table", "sdpa-msa", "--batch", "0"}, usage, {"--batch 0"}},
    {"BenchTableOfNoTime", {"bench", "--table", "sdpa-msa", "--seconds", "nan"}, usage, {"--seconds nan"}},
    {"BenchCurvesOfTopK", {"bench", "--table", "top-k", "--svg", "x"}, usage, {"--svg", "--markdown alone"}},
    {"BenchAgainstNothing", {"bench", "--baseline", "/nowhere.json"}, golden_damaged, {"/nowhere.json", "--save"}},
    {"BenchAgainstOtherJson", {"bench", "compare", kConfig, kConfig}, golden_damaged, {kConfig, "--save"}},
    {"BatteryOfNoBackend", {"battery", "--kernel", "cuda"}, device_absent, {"'cuda'", "no such backend"}},
    {"BatteryOfNoLane", {"battery", "--lanes", "exact,edge"}, usage, {"'edge'", "exact"}},
    {"BatteryOfNoExactCase", {"battery", "--case", "rotary_tables:f32:exact:1"}, broken, {"cosine"}},
    {"UnknownMode",
     {"run", kGolden, "--mode", "isolatd"},
     usage,
     {"'isolatd'", "did you mean 'isolated'", "isolated, chained or forced"}},
    {"UnknownProfile",
     {"run", kGolden, "--profile", "hf-5.12", "--quiet"},
     usage,
     {"'hf-5.12'", "did you mean 'hf-5.12.0'", "list profiles"}},
    {"TwoResultsOnStandardOutput", {"run", kGolden, "--json", "-", "--junit", "-"}, usage, {"standard output"}},
    {"CaptureMissing",
     {"run", kGolden, "--candidate", "capture:/nowhere.h5", "--quiet"},
     golden_damaged,
     {"/nowhere.h5", "No such file"}},
    {"CaptureUnnamed", {"run", kGolden, "--candidate", "capture:", "--quiet"}, usage, {"capture:FILE"}},
    {"CaptureOfOtherCalls",
     {"run", kGolden, "--candidate", "capture:golden/data/m3-text-f32", "--quiet"},
     golden_damaged,
     {"steps/000/tokens/input_ids of the capture differs", "capture the same calls"}},
    {"ReportIntoAFolder",
     {"run", kGolden, "--quiet", "--json", "golden"},
     usage,
     {"golden", "it is a folder", "name another file"}},
    {"CaseWithoutATap", {"repro", kGolden}, usage, {kGolden, "GOLDEN#TAP"}},
    {"CaseWithoutAGolden", {"repro", "#loss"}, usage, {"'#loss'", "GOLDEN#TAP"}},
    {"UnknownList", {"list", "component"}, usage, {"'component'", "did you mean 'components'"}},
    {"ListOfNoFolder", {"list", "goldens", "/nowhere"}, golden_damaged, {"/nowhere", "no such folder"}},
    {"UnknownComponent", {"show", "rms_nrm"}, usage, {"'rms_nrm'", "did you mean 'rms_norm'"}},
    {"UnknownTap",
     {"show", "steps/000/text/embed/ou", "--golden", kGolden},
     usage,
     {"'steps/000/text/embed/ou'", "did you mean 'steps/000/text/embed/out'"}},
    {"UnknownGolden",
     {"run", "golden/data/m3-text-bf61", "--quiet"},
     golden_damaged,
     {"no such golden", "did you mean 'golden/data/m3-text-bf16'"}},
    {"GoldenWithoutItsFolder",
     {"run", "m3-text-bf16", "--quiet"},
     golden_damaged,
     {"no such golden", "did you mean 'golden/data/m3-text-bf16'"}},
    {"CaptureWithoutItsWord",
     {"run", kGolden, "--candidate", "mine.h5"},
     usage,
     {"'mine.h5' is a file", "did you mean 'capture:mine.h5'"}},
    {"BenchOfNoComponent", {"bench", "rms_nrm/*"}, nothing_ran, {"'rms_nrm/*'", "did you mean 'rms_norm/*'"}},
    {"BenchOfNoCase", {"bench", "rms_norm/token-1/*"}, nothing_ran, {"did you mean 'rms_norm/tokens-1/*'"}},
    {"TapOfAGoldenThatIsMisspelt",
     {"show", kGolden + "#steps/000/text/embed/ou"},
     usage,
     {"did you mean 'steps/000/text/embed/out'"}},
    {"TapOfNoGolden", {"show", "loss", "--golden", "/nowhere"}, golden_damaged, {"/nowhere", "no such golden"}},
    {"InfoOfNoGolden", {"golden", "info", "/nowhere"}, golden_damaged, {"/nowhere", "no such golden"}},
    {"ListingOfNoGolden", {"golden", "ls", "/nowhere"}, golden_damaged, {"/nowhere", "no such golden"}},
    {"ReportMissing", {"report", "markdown", "/nowhere"}, golden_damaged, {"/nowhere", "report.json of a run"}},
    {"ReportIsAFolder", {"report", "markdown", "golden"}, golden_damaged, {"golden", "report.json of a run"}},
    {"ReportIsNotJson", {"report", "markdown", kFile}, golden_damaged, {kFile, "not JSON", "report.json of a run"}},
    {"ReportIsOtherJson",
     {"report", "markdown", kConfig},
     golden_damaged,
     {kConfig, "/schema_version is missing", "parity report check"}},
    {"RelationsOfARecording", {"relations", "--candidate", "golden"}, usage, {"'golden' is not run here", "reference"}},
    {"RelationsOfAnAbsentBackend", {"relations", "--candidate", "cuda"}, device_absent, {"'cuda'", "no such backend"}},
    {"RelationsOfTwoThings", {"relations", "--candidate", "cpu", "--fault", "dense-not-masked"}, usage, {"--fault"}},
    {"NegativeSeedOfRelations", {"relations", "--seed", "-1"}, usage, {"--seed", "-1 is no seed"}},
    {"NegativeSeedOfBattery", {"battery", "--seed=-1"}, usage, {"--seed", "-1 is no seed"}},
    {"NegativeSeedOfSelftest", {"selftest", "--corruptions", "1", "--seed", "-1"}, usage, {"--seed", "-1 is no seed"}},
    {"NegativeSeedOfModels", {"run", "--synthetic", "m3", "--seed", "-1"}, usage, {"--seed", "-1 is no seed"}},
    {"NegativeSeedOfBenches", {"bench", "--seed", "-1"}, usage, {"--seed", "-1 is no seed"}},
    {"UnknownReportFormat", {"report", "html5", kFile}, usage, {"'html5'", "markdown, junit"}},
};

class Mistake : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Of, Mistake, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(Mistake, IsOneLineThatHelps) {
  const Output output = run_program(GetParam().arguments);

  EXPECT_EQ(output.exit_code, GetParam().exit_code) << output.err;
  ASSERT_EQ(lines(output.err).size(), 1U) << output.err;
  EXPECT_THAT(output.err, ::testing::StartsWith("parity: "));
  for (const std::string& mention : GetParam().mentions) EXPECT_THAT(output.err, HasSubstr(mention));
}

TEST(ReportCheck, ListsWhatIsWrongAndAcceptsWhatIsRight) {
  const TemporaryFolder scratch;
  const std::string file = (scratch / "report.json").string();
  ASSERT_EQ(run_program({"run", kGolden, "--quiet", "--json", file}).exit_code, holds);
  EXPECT_EQ(run_program({"report", "check", file}).exit_code, holds);

  std::string text = content(file);
  text.replace(text.find("\"verdict\": \"pass\""), 17, "\"verdict\": \"good\"");
  write(file, text);
  const Output wrong = run_program({"report", "check", file});
  EXPECT_EQ(wrong.exit_code, golden_damaged);
  EXPECT_THAT(wrong.out, HasSubstr("/verdict"));
}

}  // namespace
}  // namespace parity::cli
