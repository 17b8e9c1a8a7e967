// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Mistakes on the command lines of the commands that judge and show recordings.
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/mistake.hpp"

namespace parity::cli {
namespace {

using namespace tests;

const std::string kConfig = kGolden + "/checkpoint/config.json";
const std::string kFile = kGolden + "/activations.h5";

const std::vector<Mistake> kMistakesOfRecordings{
    {"Nothing", {}, usage, {"subcommand is required", "parity --help"}},
    {"UnknownCommand", {"rnu", kGolden}, usage, {"did you mean 'run'"}},
    {"UnknownCommandOfGolden", {"golden", "verfy", kGolden}, usage, {"did you mean 'verify'"}},
    {"UnknownOption", {"run", kGolden, "--mdoe", "isolated"}, usage, {"--mdoe", "did you mean '--mode'"}},
    {"UnknownOptionWithValue", {"run", kGolden, "--jsn=x"}, usage, {"--jsn", "did you mean '--json'"}},
    {"UnknownOptionOfGolden", {"golden", "ls", kGolden, "--slect", "x"}, usage, {"--slect", "did you mean '--select'"}},
    {"NoGolden", {"run"}, usage, {"no golden is given", "--synthetic"}},
    {"SyntheticModelUnknown",
     {"run", "--quiet", "--synthetic", "gpt2"},
     usage,
     {"published model 'gpt2' is not known", "m3, m2, text01"}},
    {"SyntheticLayerUnknown", {"run", "--quiet", "--synthetic", "m3", "--layers", "60"}, usage, {"layer 60", "0..59"}},
    {"SyntheticVocabularyOfOne",
     {"run", "--quiet", "--synthetic", "m2", "--words", "1"},
     usage,
     {"vocabulary of 1", "use 2 or more"}},
    {"ProfileOfBinary64",
     {"run", kGolden, "--quiet", "--profile", "hf-5.12.0-f64"},
     usage,
     {"f64", "without the suffix"}},
    {"SizesWithoutSynthetic", {"run", kGolden, "--tokens", "9"}, usage, {"--tokens", "--synthetic"}},
    {"SizesOfDrawnModels",
     {"run", "--synthetic", "m3", "--cases", "2", "--layers", "1"},
     usage,
     {"--cases", "excludes", "--layers"}},
    {"SizesOfOneDrawnModel",
     {"run", "--synthetic", "m3", "--case", "m3:f32:boundary:1", "--tokens", "9"},
     usage,
     {"--case", "excludes", "--tokens"}},
    {"UnknownFault",
     {"run", kGolden, "--candidate", "fault:nothing-like-it"},
     usage,
     {"nothing-like-it", "see parity list faults"}},
    {"FaultOfNoNodeOfTheModel",
     {"run", "--synthetic", "m2", "--layers", "0", "--candidate", "fault:patchify-mean"},
     usage,
     {"is a fault of patchify", "m2"}},
    {"ShowOfNoFusion", {"show", "add_nrm"}, usage, {"'add_nrm'", "did you mean 'add_norm'"}},
    {"ValueMissing", {"run", kGolden, "--mode"}, usage, {"--mode"}},
    {"UnknownCandidate",
     {"run", kGolden, "--candidate", "refernce"},
     usage,
     {"'refernce'", "did you mean 'reference'", "capture:FILE"}},
    {"AbsentBackend",
     {"run", kGolden, "--candidate", "gpu"},
     device_absent,
     {"'gpu'", "no such backend", "use golden"}},
    {"AbsentVariant",
     {"run", kGolden, "--candidate", "cpu:avx512"},
     device_absent,
     {"'cpu:avx512'", "no such backend"}},
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
    {"NegativeSeedOfModels", {"run", "--synthetic", "m3", "--seed", "-1"}, usage, {"--seed", "'-1' is not a seed"}},
    {"UnknownReportFormat", {"report", "html5", kFile}, usage, {"'html5'", "markdown, junit"}},
};

class MistakeOfRecordings : public ::testing::TestWithParam<Mistake> {};

INSTANTIATE_TEST_SUITE_P(Of, MistakeOfRecordings, ::testing::ValuesIn(kMistakesOfRecordings),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(MistakeOfRecordings, IsOneLineThatHelps) { expect_one_line_that_helps(GetParam()); }

}  // namespace
}  // namespace parity::cli
