// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A run that judges less than its manifest requires is not green, and the report names the lacking taps.
#include "reports/files/manifest_file.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/judging/verdict.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::reports {
namespace {

using compare::GoldenReport;
using compare::Manifest;
using compare::Mode;
using compare::Record;
using compare::RunReport;
using compare::Status;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Returns a run with two norms and a router, in two modes.
RunReport run_of(const std::string& name) {
  RunReport report;
  GoldenReport golden;
  golden.name = name;
  for (const Mode mode : {Mode::isolated, Mode::forced}) {
    for (const auto& [tap, component] : std::map<std::string, std::string>{
             {"steps/000/a/norm", "rms_norm"}, {"steps/000/b/norm", "rms_norm"}, {"steps/000/b/router", "router"}}) {
      Record record;
      record.tap = tap;
      record.component = component;
      record.mode = mode;
      golden.records.push_back(record);
      golden.outputs[tap] = component;
    }
  }
  report.goldens = {golden};
  return report;
}

RunReport held_to(const Manifest& manifest, RunReport report) {
  hold_to(manifest, "FILE", report);
  conclude(report);
  return report;
}

void drop(RunReport& report, const std::string& tap, Mode mode) {
  std::erase_if(report.goldens[0].records, [&](const Record& r) { return r.tap == tap && r.mode == mode; });
}

TEST(Manifest, OfTheSameRunIsKept) {
  for (const bool by_name : {false, true}) {
    const RunReport report = held_to(manifest_of(run_of("g"), by_name), run_of("g"));

    EXPECT_EQ(report.verdict, Status::pass);
    EXPECT_TRUE(report.goldens[0].notes.empty());
  }
}

TEST(Manifest, CountsATapOfAllPlacesOrNamesEveryTap) {
  const auto counts = manifest_of(run_of("g"), false).goldens.at("g").judged.at("isolated");
  const auto names = manifest_of(run_of("g"), true).goldens.at("g").judged.at("forced");

  EXPECT_EQ(counts, (compare::LeastJudged{
                        {"steps/\?\?\?/a/norm", 1}, {"steps/\?\?\?/b/norm", 1}, {"steps/\?\?\?/b/router", 1}}));
  EXPECT_EQ(names.size(), 3U);
  EXPECT_EQ(names.at("steps/000/a/norm"), 1);
}

TEST(Manifest, MakesALostTapNotGreenAndNamesIt) {
  for (const bool by_name : {false, true}) {
    RunReport report = run_of("g");
    drop(report, "steps/000/b/norm", Mode::forced);
    report = held_to(manifest_of(run_of("g"), by_name), report);

    EXPECT_EQ(report.verdict, Status::mistrusted);
    EXPECT_THAT(report.goldens[0].reason,
                AllOf(HasSubstr("FILE"), HasSubstr("in mode forced;"), HasSubstr("not judged: steps/000/b/norm;"),
                      HasSubstr("--write-manifest")));
  }
}

TEST(Manifest, CountsWhatIsSkippedOrNotRecordedAsLost) {
  Manifest manifest;
  manifest.goldens["g"].judged["isolated"] = {{"rms_norm", 2}};  // key: a component
  for (const Status status : {Status::skipped, Status::not_recorded, Status::unimplemented, Status::error}) {
    RunReport report = run_of("g");
    report.goldens[0].records[0].status = status;
    report = held_to(manifest, report);

    EXPECT_EQ(report.verdict, Status::mistrusted) << to_string(status);
    EXPECT_THAT(report.goldens[0].reason, HasSubstr("1 of the 2 taps of rms_norm")) << to_string(status);
  }
}

TEST(Manifest, DoesNotCallAFailureALack) {
  RunReport report = run_of("g");
  report.goldens[0].records[0].status = report.goldens[0].verdict = Status::fail;
  report = held_to(manifest_of(run_of("g"), false), report);

  EXPECT_EQ(report.verdict, Status::fail);
  EXPECT_EQ(report.goldens[0].reason, "");
  EXPECT_THAT(report.goldens[0].notes, Contains(HasSubstr("expects the verdict pass")));
}

TEST(Manifest, MissesAGoldenThatWasNotRunAndOneThatItDoesNotKnow) {
  const RunReport report = held_to(manifest_of(run_of("lost"), false), run_of("new"));

  EXPECT_EQ(report.verdict, Status::mistrusted);
  ASSERT_EQ(report.goldens.size(), 2U);
  EXPECT_EQ(report.goldens[0].verdict, Status::mistrusted) << "leave it out";
  EXPECT_THAT(report.goldens[0].reason, HasSubstr("does not list this golden"));
  EXPECT_EQ(report.goldens[1].name, "lost");
  EXPECT_THAT(report.goldens[1].reason, HasSubstr("was not run"));
}

TEST(Manifest, AsksForGlobsOverTaps) {
  Manifest manifest;
  manifest.goldens["g"].judged["isolated"] = {{"steps/*/norm", 2}};
  RunReport less = run_of("g");
  drop(less, "steps/000/a/norm", Mode::isolated);

  EXPECT_EQ(held_to(manifest, run_of("g")).verdict, Status::pass);
  EXPECT_EQ(held_to(manifest, less).verdict, Status::mistrusted);
}

TEST(Manifest, OfTwoGoldensOfOneNameIsRefused) {
  RunReport report = run_of("g");
  report.goldens.push_back(report.goldens[0]);

  EXPECT_THROW((void)manifest_of(report, false), Error);
}

TEST(ManifestFile, ReadsWhatItWrote) {
  const golden::TemporaryFolder folder;
  const Manifest written = manifest_of(run_of("g"), false);
  std::ofstream(folder / "manifest.json") << manifest_text(written);
  const Manifest read = read_manifest(folder / "manifest.json");

  ASSERT_EQ(read.goldens.size(), 1U);
  EXPECT_EQ(read.goldens.at("g").status, Status::pass);
  EXPECT_EQ(read.goldens.at("g").judged, written.goldens.at("g").judged);
  EXPECT_THAT(manifest_text(written), HasSubstr("\"forced+isolated\": {")) << "what they have in common stands once";
}

TEST(ManifestFile, ThatIsNoneIsRefusedByItsPlace) {
  const golden::TemporaryFolder folder;
  const std::string head = R"({"schema_version": "1.0", "goldens": )";
  const std::map<std::string, std::string> texts{
      {"{", "not JSON"},
      {R"({"goldens": {}})", "schema_version"},
      {head + "{}}", "lists no golden"},
      {head + R"({"g": {"status": "green", "judged": {}}}})", "/goldens/g/status"},
      {head + R"({"g": {"status": "pass"}}})", "/goldens/g/judged"},
      {head + R"({"g": {"status": "pass", "judged": {"sideways": {}}}}})", "/judged/sideways"},
      {head + R"({"g": {"status": "pass", "judged": {"forced": {"router": -1}}}}})", "/forced/router"},
      {head + R"({"g": {"status": "pass", "judged": {"forced": {"router": "all"}}}}})", "/forced/router"}};
  for (const auto& [text, place] : texts) {
    std::ofstream(folder / "manifest.json") << text;
    try {
      (void)read_manifest(folder / "manifest.json");
      ADD_FAILURE() << text << ": no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::schema);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("manifest.json"), HasSubstr(place)));
    }
  }
  EXPECT_THROW((void)read_manifest(folder / "none.json"), Error);
}

}  // namespace
}  // namespace parity::reports
