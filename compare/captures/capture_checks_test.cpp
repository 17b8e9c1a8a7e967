// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A capture passes only if it was judged, and it is judged by its own declarations.
#include "compare/captures/capture_checks.hpp"

#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/capture_cases.hpp"
#include "golden/files/sha256.hpp"

namespace parity::compare {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace tests;

const fs::path kGolden = kData / "m3-text-f32";
const std::string kNorm = "steps/000/text/layers/01/attention/q_norm/out";

class CaptureChecks : public ::testing::Test {
 protected:
  GoldenReport declared(const Changes& changes = {}, const CaptureRequest& request = {}) {
    return judge(kGolden, of_file(filled_capture(kGolden, scratch / "declared.h5", changes, request)));
  }
  /// Judges a copy of the golden with `changes` and no declaration, the older form of a capture.
  GoldenReport copied(const Changes& changes = {}, RunOptions options = {}) {
    (void)replay::tests::Copy(golden::ActivationFile::open(kGolden / "activations.h5"), scratch / "copy.h5", changes);
    const RunOptions file = of_file(scratch / "copy.h5");
    options.mode = file.mode;
    options.candidate = file.candidate;
    options.capture = file.capture;
    return judge(kGolden, options);
  }
  /// Returns the golden's value of `tap` with the last bit of every eleventh element changed.
  static Tensor rounded_otherwise(const std::string& tap) {
    Tensor values = goldens_values(kGolden).at(tap);
    for (int64_t i = 0; i < values.view().count(); i += 11)
      values = with_element(values, i, std::nextafter(static_cast<float>(values.view().value(i)), 1e30F));
    return values;
  }

  TemporaryFolder scratch;
};

TEST_F(CaptureChecks, DeclaredAndFilledConformEvenWithTheGoldensBits) {
  const GoldenReport report = declared();

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_THAT(report.not_shown, IsEmpty());
  ASSERT_TRUE(report.capture.has_value());
  EXPECT_TRUE(report.capture->declared);
  EXPECT_EQ(report.capture->goldens_bits, report.taps.judged);
  for (const Coverage& of : report.coverage) EXPECT_EQ(of.judged, of.of) << of.component;
}

// Regression: a script that copied the golden and then crashed left a capture that passed.
TEST_F(CaptureChecks, ThatAreTheGoldenShowNothing) {
  Changes named;
  named.attributes = {{"golden", "m3-text-f32"}, {"golden_sha256", golden::sha256_of_file(kGolden / "activations.h5")}};
  for (const Changes& changes : {Changes{}, named}) {
    const GoldenReport report = copied(changes);

    EXPECT_EQ(report.verdict, Status::not_recorded);
    EXPECT_THAT(report.reason, HasSubstr("a copy of the golden, which proves nothing"));
    EXPECT_EQ(report.taps.judged, 0);
  }
}

TEST_F(CaptureChecks, ThatNameAnImplementationOfTheirOwnAreJudged) {
  Changes other;
  other.attributes = {{"attention", "other"}, {"experts", "other"}};
  const GoldenReport report = copied(other);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_GT(report.taps.judged, 100);
}

// Regression: this gave "parity holds: 228 of 241 taps judged, 1 unknown" and exit code 0.
TEST_F(CaptureChecks, WithAMisspeltTapNameTheNearest) {
  for (const bool marked : {true, false}) {
    Changes changes;
    changes.dropped = {kNorm};
    changes.values["steps/000/text/layers/01/attention/q_nrm/out"] = goldens_values(kGolden).at(kNorm);
    changes.attributes = {{"attention", "other"}, {"experts", "other"}};
    const GoldenReport report = marked ? declared(changes) : copied(changes);

    EXPECT_EQ(report.verdict, Status::mistrusted);
    EXPECT_THAT(report.not_shown,
                Contains(AllOf(HasSubstr("the golden has no tap steps/000/text/layers/01/attention/q_nrm/out"),
                               HasSubstr("did you mean '" + kNorm + "'?"))));
  }
}

// Regression: a capture with these taps left out gave exit code 0.
TEST_F(CaptureChecks, ThatLackWhatTheyHoldElsewhereLostIt) {
  Changes changes;
  changes.dropped = {kNorm};
  changes.attributes = {{"attention", "other"}, {"experts", "other"}};
  const GoldenReport report = copied(changes);

  EXPECT_EQ(report.verdict, Status::mistrusted);
  EXPECT_THAT(report.not_shown,
              ElementsAre(AllOf(HasSubstr("missing, although other calls or layers have them"), HasSubstr(kNorm))));
}

// A real capture may end after the captured kernel. The later output of that layer does not count as lost.
TEST_F(CaptureChecks, ThatEndInsideALayerAreJudged) {
  Changes changes;
  changes.dropped = {"*/layers/02/mlp/*", "*/layers/02/moe/*", "*/layers/02/out", "*/layers/02/post_attention_norm/*",
                     "*/final_norm/*",    "*/lm_head/*",       "*/loss"};
  changes.attributes = {{"attention", "other"}, {"experts", "other"}};
  EXPECT_THAT(copied(changes).not_shown, IsEmpty());

  changes.dropped = {"steps/001/text/layers/02/out", "steps/001/text/final_norm/*", "steps/001/text/lm_head/*"};
  EXPECT_THAT(copied(changes).not_shown, ElementsAre(HasSubstr("layers/02/out"))) << "the other call goes on";
}

TEST_F(CaptureChecks, OfWholeFamiliesOfTapsAreJudged) {
  Changes changes;
  changes.dropped = {"*/q_norm/out", "*/cache/?", "*/loss"};
  changes.attributes = {{"attention", "other"}, {"experts", "other"}};
  const GoldenReport report = copied(changes);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_THAT(report.not_shown, IsEmpty());
}

TEST_F(CaptureChecks, DeclaredMustHoldWhatTheyDoNotDeclareAbsent) {
  Changes lost;
  lost.dropped = {"*/q_norm/out"};
  EXPECT_THAT(declared(lost).not_shown, ElementsAre(HasSubstr("missing, and not listed in")));

  lost.attributes["not_computed_taps"] = "*/q_norm/out";
  const GoldenReport report = declared(lost);
  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_THAT(report.capture->not_computed, ElementsAre("taps */q_norm/out"));

  lost.attributes["not_computed_taps"] = "*/q_norm/out */q_nrm/out";
  EXPECT_THAT(declared(lost).not_shown, ElementsAre(HasSubstr("'*/q_nrm/out' matches no tap")));
}

TEST_F(CaptureChecks, OfAScriptThatDiedAreNeverGreen) {
  Changes unfilled;
  unfilled.tap_attributes[golden::kComputed] = "no";
  EXPECT_EQ(declared(unfilled).verdict, Status::not_recorded) << "nothing was filled";

  // Only the first call was filled in. The rest of the capture is unwritten.
  Changes partly;
  for (const auto& [tap, values] : goldens_values(kGolden)) {
    if (tap.starts_with("steps/001")) partly.values[tap] = Tensor(values.dtype(), values.shape());
  }
  partly.unfilled = {"steps/001/*"};
  const GoldenReport report = declared(partly);
  EXPECT_EQ(report.verdict, Status::mistrusted);
  EXPECT_THAT(report.not_shown, ElementsAre(HasSubstr("in the file, but never filled")));
}

TEST_F(CaptureChecks, ThatFillWhatTheyDeclareAbsentContradictThemselves) {
  Changes changes;
  changes.attributes["not_computed_taps"] = kNorm;
  EXPECT_THAT(declared(changes).not_shown, ElementsAre(HasSubstr("listed as not computed, but filled: " + kNorm)));
  changes.attributes["not_computed_rows"] = "7";
  changes.attributes["not_computed_calls"] = "004";
  EXPECT_THAT(declared(changes).not_shown, Contains(HasSubstr("not_computed_rows: the golden has no sequence 7")));
  EXPECT_THAT(declared(changes).not_shown, Contains(HasSubstr("the golden has no call 004")));
}

// Regression: one kernel's output in a copy of the golden caused 88 false failures of later nodes.
TEST_F(CaptureChecks, OfOneKernelDoNotFeedTheGoldensNodes) {
  Changes changes;
  for (const char* step : {"steps/000", "steps/001"}) {
    const std::string tap = std::string(step) + "/text/layers/01/attention/v_proj/out";
    Tensor values = goldens_values(kGolden).at(tap);
    for (int64_t i = 0; i < values.view().count(); ++i)
      values = with_element(values, i, 1.001 * values.view().value(i));
    changes.values[tap] = values;
  }
  const GoldenReport own = copied(changes);
  for (const Record& record : own.records) {
    EXPECT_TRUE(record.status != Status::fail || record.tap.ends_with("v_proj/out")) << record.tap << record.reason;
  }
  EXPECT_EQ(std::count_if(own.records.begin(), own.records.end(),
                          [](const Record& r) {
                            return r.status == Status::skipped && r.tap.ends_with("cache/v") &&
                                   r.reason.find("copied, not computed") != std::string::npos;
                          }),
            2);

  RunOptions golden_inputs;
  golden_inputs.inputs = RunOptions::Inputs::golden;
  const GoldenReport given = copied(changes, golden_inputs);
  EXPECT_EQ(std::count_if(given.records.begin(), given.records.end(),
                          [](const Record& r) { return r.status != Status::pass; }),
            2);
  EXPECT_EQ(given.capture->inputs, "golden");
}

TEST_F(CaptureChecks, OfOneKernelAloneAreJudgedOnTheGoldensInputs) {
  RunOptions options = of_file(filled_capture(kGolden, scratch / "norms.h5", {}, {{"*/q_norm/out"}, {}, true}), {});
  options.inputs = RunOptions::Inputs::golden;
  const GoldenReport report = judge(kGolden, options);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_THAT(report.not_shown, IsEmpty());
  for (const Record& record : report.records) {
    EXPECT_THAT(record.tap, HasSubstr("q_norm/out"));
    EXPECT_THAT(record.span, IsEmpty()) << "on recorded inputs";
    EXPECT_EQ(record.mode, Mode::isolated);
  }
  EXPECT_THAT(report.notes, Contains(HasSubstr("--inputs golden")));
}

TEST_F(CaptureChecks, MustJudgeWhatIsRequired) {
  Changes changes;
  changes.dropped = {"*/q_norm/out"};
  changes.attributes["not_computed_taps"] = "*/q_norm/out";
  RunOptions options = of_file(filled_capture(kGolden, scratch / "few.h5", changes));
  options.required = {"router", "*/k_norm/out"};
  EXPECT_EQ(judge(kGolden, options).verdict, Status::pass);

  options.required = {"rms_norm", "rooter"};
  const GoldenReport report = judge(kGolden, options);
  EXPECT_EQ(report.verdict, Status::mistrusted);
  EXPECT_THAT(report.not_shown, ElementsAre(AllOf(HasSubstr("--require 'rms_norm'"), HasSubstr("were not judged")),
                                            AllOf(HasSubstr("'rooter' matches no component"), HasSubstr("'router'?"))));
}

TEST_F(CaptureChecks, WithWeightsOfTheirOwnAreJudgedWithThem) {
  const std::string name = "language_model.model.norm.weight";
  const auto golden = golden::Golden::open(kGolden);
  ASSERT_TRUE(golden.parameters().contains(name));
  const TensorView published = golden.parameters().tensor(name);
  Tensor own(DType::f32, published.shape, "H");
  for (int64_t i = 0; i < published.count(); ++i)
    store_element(DType::f32, own.view().data + 4 * i, 1.5 * published.value(i) + 0.25);
  Changes changes;
  changes.values["weights/" + name] = own;
  EXPECT_EQ(declared(changes).verdict, Status::pass) << "not said to be its own";

  changes.weights_attributes["own"] = "yes";
  const GoldenReport report = declared(changes);
  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_THAT(report.first_divergence->tap, HasSubstr("final_norm/out"));
  ASSERT_EQ(report.capture->weights.size(), 1U);
  EXPECT_EQ(report.capture->weights[0].name, name);
  EXPECT_GT(report.capture->weights[0].relative_rms, 0.1);
}

/// Stores a changed lm_head of the golden as the capture's own weight, and leaves out the taps computed from it.
class OwnWeightsOfACapture : public CaptureChecks {
 protected:
  GoldenReport with(const std::function<double(double)>& changed) {
    const std::string name = "language_model.lm_head.weight";
    const auto golden = golden::Golden::open(kGolden);
    const TensorView published = golden.parameters().tensor(name);
    Tensor own(DType::f32, published.shape, "V,H");
    for (int64_t i = 0; i < published.count(); ++i)
      store_element(DType::f32, own.view().data + 4 * i, changed(published.value(i)));
    Changes changes;
    changes.values["weights/" + name] = own;
    changes.weights_attributes["own"] = "yes";
    changes.dropped = {"*/lm_head/out", "*/loss"};
    changes.attributes["not_computed_taps"] = "*/lm_head/out */loss";
    return declared(changes);
  }
};

TEST_F(OwnWeightsOfACapture, InFewBitsConform) {
  const double step = 0.02;
  const GoldenReport report = with([&](double w) { return step * std::round(w / step); });
  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_EQ(report.capture->weights.size(), 1U);
}

// Regression: weights of zeros or of the opposite sign conformed, with the note "differs by 100 %".
TEST_F(OwnWeightsOfACapture, ThatAreOthersShowNothing) {
  for (const double factor : {0.0, -1.0, 2.5}) {
    const GoldenReport report = with([&](double w) { return factor * w; });
    EXPECT_EQ(report.verdict, Status::mistrusted) << factor;
    EXPECT_EQ(report.answer, Answer::not_shown);
    EXPECT_THAT(report.not_shown, ElementsAre(AllOf(HasSubstr("weights/language_model.lm_head.weight differs by"),
                                                    HasSubstr("not a quantised form of that weight"))));
  }
}

// Regression: weights of NaN or infinity gave the note "differs by 0".
TEST_F(OwnWeightsOfACapture, ThatAreNoNumbersAreRefused) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    try {
      (void)with([&](double) { return bad; });
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::schema);
      EXPECT_THAT(error.what(), HasSubstr("weights/language_model.lm_head.weight: element 0 is"));
    }
  }
}

// Regression: with all sequences declared absent, the taps without a sequence axis were judged and passed.
TEST_F(CaptureChecks, OfWhichNoSequenceWasComputedShowNothing) {
  Changes changes;
  changes.attributes["not_computed_rows"] = "0 1";
  const GoldenReport report = declared(changes);

  EXPECT_EQ(report.verdict, Status::not_recorded);
  EXPECT_EQ(report.answer, Answer::not_shown);
  EXPECT_EQ(report.taps.judged, 0);
  EXPECT_THAT(report.reason, HasSubstr("not_computed_rows lists every sequence"));
}

/// Returns a change that moves one element of a float tap to the next representable number.
Changes one_element(const std::string& tap) {
  const Tensor values = goldens_values(kGolden).at(tap);
  Changes changes;
  changes.values[tap] = with_element(values, 5, std::nextafter(static_cast<float>(values.view().value(5)), 1e30F));
  return changes;
}

// Regression: a copy of the golden with one bit changed passed as fully judged.
TEST_F(CaptureChecks, ThatAreNearlyTheGoldenAreNeverGreen) {
  const GoldenReport report = copied(one_element(kNorm));

  EXPECT_NE(report.answer, Answer::conforms);
  EXPECT_NE(report.answer, Answer::rounds_differently);
  EXPECT_THAT(report.not_shown, Contains(AllOf(HasSubstr("have the golden's bits"), HasSubstr("parity capture init"))));
}

// Naming one implementation vouches for that kernel only, and only if its taps differ from the golden's bits.
TEST_F(CaptureChecks, ThatStateOneKernelShowNothingWithoutItsBits) {
  Changes stated;
  stated.attributes["attention"] = "other";
  EXPECT_EQ(copied(stated).verdict, Status::not_recorded);

  Changes elsewhere = one_element("steps/000/text/final_norm/out");
  elsewhere.attributes["attention"] = "other";
  EXPECT_EQ(copied(elsewhere).answer, Answer::not_shown);

  Changes there = one_element(kNorm);
  there.attributes["attention"] = "other";
  EXPECT_EQ(copied(there).not_shown, std::vector<std::string>{});
}

}  // namespace
}  // namespace parity::compare
