// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Mistakes on the command lines of the battery, benches, relations and studies.
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/mistake.hpp"

namespace parity::cli {
namespace {

using namespace tests;

const std::string kOther = kGolden + "/checkpoint/config.json";

const std::vector<Mistake> kMistakesOfStudies{
    {"SelftestOfNoFalseAlarms", {"selftest", "--false-alarms", "0"}, usage, {"--false-alarms 0 is too small"}},
    {"SelftestOfNoCorruptions", {"selftest", "--corruptions", "0"}, usage, {"--corruptions 0 is too small"}},
    {"BatteryWithoutExactCases",
     {"battery", "patchify", "--kernel", "reference", "--lanes", "exact", "--quiet"},
     broken,
     {"has no cases of patchify", "cases/drawn/exact_*.cpp"}},
    {"BatteryWithoutACorrectKernel",
     {"battery", "gather", "--quiet"},
     broken,
     {"no second implementation of gather", "--kernel reference", "--kernel BACKEND"}},
    {"GuardsOfNoComponent",
     {"selftest", "--guards", "--components", "rms_nrm"},
     usage,
     {"'rms_nrm'", "did you mean 'rms_norm'"}},
    {"GuardsOfNoBackend",
     {"selftest", "--guards", "--components", "silu", "--backends", "cudda"},
     usage,
     {"--backends cudda", "parity list kernels"}},
    {"SelftestOfTwoKinds", {"selftest", "--judges", "--guards"}, usage, {"--guards", "--judges"}},
    {"BenchOfNoTable", {"bench", "--table", "sdpa-mas"}, usage, {"'sdpa-mas'", "did you mean 'sdpa-msa'"}},
    {"BenchOfNoSelection",
     {"bench", "--table", "sdpa-msa", "--selection", "modell"},
     usage,
     {"'modell'", "did you mean 'model'"}},
    {"BenchOfTooFewSamples", {"bench", "--samples", "2"}, usage, {"too few"}},
    {"BenchOfTooManySamples", {"bench", "--samples", "100001"}, usage, {"100001", "at most 100000"}},
    {"BenchIntoNothing", {"bench", "--save", "/proc/nothing"}, usage, {"cannot write /proc/nothing"}},
    {"BenchTableOfABaseline", {"bench", "--table", "top-k", "--save", "x"}, usage, {"--table", "excludes", "--save"}},
    {"BenchJsonOfNoTable", {"bench", "--json", "x"}, usage, {"--json", "requires", "--table"}},
    {"BenchTableOfNoBatch", {"bench", "--table", "sdpa-msa", "--batch", "0"}, usage, {"--batch 0"}},
    {"BenchTableOfNoTime", {"bench", "--table", "sdpa-msa", "--seconds", "nan"}, usage, {"--seconds nan"}},
    // Regression: every backend was refused, so that the table had no times of a GPU.
    {"BenchTableOfAnotherBackend",
     {"bench", "--table", "sdpa-msa", "--backend", "torch"},
     usage,
     {"no columns for --backend 'torch'", "use", "cuda"}},
    {"BenchCurvesOfTopK", {"bench", "--table", "top-k", "--svg", "x"}, usage, {"--svg", "cannot be drawn as curves"}},
    {"BenchAgainstNothing", {"bench", "--baseline", "/nowhere.json"}, golden_damaged, {"/nowhere.json", "--save"}},
    {"BenchAgainstOtherJson", {"bench", "compare", kOther, kOther}, golden_damaged, {kOther, "--save"}},
    {"CountersOfNoGpu", {"bench", "--counters", "--gpu", "h20"}, usage, {"'h20'", "did you mean 'h200'", "b200"}},
    {"CountersOfTheProcessor", {"bench", "--counters", "--backend", "cpu"}, usage, {"'cpu'", "--backend cuda-host"}},
    {"CountersOfNoSuchTable", {"bench", "--counters", "--table", "top-k"}, usage, {"top-k", "--table sdpa-msa"}},
    {"CountersOfDecodeInATable",
     {"bench", "--counters", "--table", "sdpa-msa", "--phase", "decode"},
     usage,
     {"prefill", "decode-*"}},
    {"CountersOfAModelsSelection",
     {"bench", "--counters", "--table", "sdpa-msa", "--selection", "model"},
     usage,
     {"--selection sticky"}},
    {"CountersDrawnAsCurves",
     {"bench", "--counters", "--table", "sdpa-msa", "--svg", "x.svg"},
     usage,
     {"--svg", "--json"}},
    {"SampleOfTimes", {"bench", "--sample", "4"}, usage, {"--sample", "requires", "--counters"}},
    {"CountersOfHalfABlock", {"bench", "--counters", "--sample", "-1"}, usage, {"--sample"}},
    {"CountersAgainstNothing",
     {"bench", "--counters", "--baseline", "/nowhere.json"},
     golden_damaged,
     {"/nowhere.json"}},
    {"CountersAgainstOtherJson",
     {"bench", "--counters", "--baseline", kOther},
     golden_damaged,
     {kOther, "--counters --json"}},
    {"BatteryOfNoBackend", {"battery", "--kernel", "gpu"}, device_absent, {"'gpu'", "no such backend"}},
    {"BatteryOfNoLane", {"battery", "--lanes", "exact,edge"}, usage, {"'edge'", "exact"}},
    {"BatteryOfNoExactCase", {"battery", "--case", "rotary_tables:f32:exact:1"}, broken, {"cosine"}},
    {"BenchOfNoComponent", {"bench", "rms_nrm/*"}, nothing_ran, {"'rms_nrm/*'", "did you mean 'rms_norm/*'"}},
    {"BenchOfNoCase", {"bench", "rms_norm/token-1/*"}, nothing_ran, {"did you mean 'rms_norm/tokens-1/*'"}},
    {"RelationsOfARecording",
     {"relations", "--candidate", "golden"},
     usage,
     {"'golden' is not known to this command", "reference"}},
    {"RelationsOfAnAbsentBackend", {"relations", "--candidate", "gpu"}, device_absent, {"'gpu'", "no such backend"}},
    {"RelationsOfTwoThings", {"relations", "--candidate", "cpu", "--fault", "dense-not-masked"}, usage, {"--fault"}},
    {"NegativeSeedOfRelations", {"relations", "--seed", "-1"}, usage, {"--seed", "'-1' is not a seed"}},
    {"NegativeSeedOfBattery", {"battery", "--seed=-1"}, usage, {"--seed", "'-1' is not a seed"}},
    {"NegativeSeedOfSelftest",
     {"selftest", "--corruptions", "1", "--seed", "-1"},
     usage,
     {"--seed", "'-1' is not a seed"}},
    {"NegativeSeedOfBenches", {"bench", "--seed", "-1"}, usage, {"--seed", "'-1' is not a seed"}},
};

class MistakeOfStudies : public ::testing::TestWithParam<Mistake> {};

INSTANTIATE_TEST_SUITE_P(Of, MistakeOfStudies, ::testing::ValuesIn(kMistakesOfStudies),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(MistakeOfStudies, IsOneLineThatHelps) { expect_one_line_that_helps(GetParam()); }

}  // namespace
}  // namespace parity::cli
