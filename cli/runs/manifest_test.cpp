// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity run --manifest`: a run that judges fewer taps than the manifest lists is not green.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"
#include "reports/files/manifest_file.hpp"

namespace parity::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace tests;

class ManifestOption : public ::testing::Test {
 protected:
  [[nodiscard]] std::string manifest() const { return (scratch / "manifest.json").string(); }
  [[nodiscard]] Output run(const std::vector<std::string>& more, const std::string& golden = kGolden) const {
    std::vector<std::string> arguments{"run", golden, "--quiet", "--no-explain"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  /// Copies the golden without the tap `tap` into a folder of the same name; returns the folder.
  [[nodiscard]] std::string without(const std::string& tap) const {
    Changes changes;
    changes.dropped = {tap};
    return copy_golden(kGolden, scratch / "less" / fs::path(kGolden).filename(), changes).string();
  }

  TemporaryFolder scratch;
};

TEST_F(ManifestOption, HoldsForTheRunThatWroteIt) {
  for (const std::vector<std::string>& detail : {std::vector<std::string>{}, std::vector<std::string>{"--taps"}}) {
    std::vector<std::string> writing{"--write-manifest", manifest()};
    writing.insert(writing.end(), detail.begin(), detail.end());

    ASSERT_EQ(run(writing).exit_code, holds);
    const Output again = run({"--manifest", manifest()});
    EXPECT_EQ(again.exit_code, holds) << again.out << again.err;
  }
}

TEST_F(ManifestOption, NamesATapThatIsNoLongerRecorded) {
  const std::string tap = "steps/000/text/layers/01/out";
  const std::string less = without(tap);
  ASSERT_EQ(run({"--write-manifest", manifest()}).exit_code, holds);

  EXPECT_EQ(run({}, less).exit_code, holds) << "green by itself";
  const Output held = run({"--manifest", manifest()}, less);
  EXPECT_EQ(held.exit_code, broken);
  EXPECT_THAT(held.out, AllOf(HasSubstr("NOT SHOWN"), HasSubstr("not judged: " + tap), HasSubstr("--write-manifest")));
}

TEST_F(ManifestOption, SeesAModeASelectionAndAGoldenThatAreLeftOut) {
  ASSERT_EQ(run({"--write-manifest", manifest()}).exit_code, holds);

  EXPECT_EQ(run({"--manifest", manifest(), "--mode", "isolated"}).exit_code, broken);
  EXPECT_EQ(run({"--manifest", manifest(), "--select", "*/router/*"}).exit_code, broken);
  EXPECT_EQ(run({"--manifest", manifest(), "--select", "nothing"}).exit_code, broken);
  const Output other = run({"--manifest", manifest()}, (kData / "m3-text-only-items").string());
  EXPECT_EQ(other.exit_code, broken);
  EXPECT_THAT(other.out, HasSubstr("was not run"));
}

/// Tests one golden of the CPU backend's manifest, with a wrong tap and with a missing one.
class BackendsManifest : public ManifestOption {
 protected:
  void SetUp() override {
    const auto whole = reports::read_manifest("golden/manifest-cpu.json");
    kept.goldens["m3-text-only-aux"] = whole.goldens.at("m3-text-only-aux");
  }
  [[nodiscard]] Output held(const std::string& candidate = "cpu") const {
    write(manifest(), reports::manifest_text(kept));
    return run({"--candidate", candidate, "--manifest", manifest()});
  }

  compare::Manifest kept;
};

TEST_F(BackendsManifest, HoldsForItsBackend) {
  const Output output = held();

  EXPECT_EQ(output.exit_code, holds) << output.out << output.err;
}

TEST_F(BackendsManifest, SeesAFaultyKernel) {
  const Output output = held("cpu+fault:rms_norm-without-one");

  EXPECT_EQ(output.exit_code, broken);
  EXPECT_THAT(output.out, HasSubstr("first divergence"));
}

TEST_F(BackendsManifest, SeesATapThatTheBackendDoesNotJudge) {
  auto& counts = kept.goldens.begin()->second.judged.at("isolated");
  ++counts.begin()->second;

  const Output output = held();
  EXPECT_EQ(output.exit_code, broken);
  EXPECT_THAT(output.out, AllOf(HasSubstr("NOT SHOWN"), HasSubstr(counts.begin()->first)));
}

TEST_F(BackendsManifest, SeesAGoldenThatItDoesNotKnow) {
  auto entry = kept.goldens.extract(kept.goldens.begin());
  kept.goldens["another"] = entry.mapped();

  const Output output = held();
  EXPECT_EQ(output.exit_code, broken);
  EXPECT_THAT(output.out, AllOf(HasSubstr("does not list this golden"), HasSubstr("was not run")));
}

TEST_F(ManifestOption, IsNotWrittenOfARunThatIsNotGreen) {
  const Output red = run({"--write-manifest", manifest(), "--profile", "hf-5.13.0", "--select", "nothing"});

  EXPECT_NE(red.exit_code, holds);
  EXPECT_FALSE(fs::exists(manifest()));
  EXPECT_THAT(red.err, HasSubstr("is not written"));
}

TEST_F(ManifestOption, ThatIsAbsentOrNoManifestEndsTheRunFirst) {
  const Output absent = run({"--manifest", manifest()});
  EXPECT_EQ(absent.exit_code, golden_damaged);
  EXPECT_THAT(absent.err, HasSubstr("no such manifest"));
  EXPECT_EQ(absent.out, "");
  write(manifest(), "{}");
  EXPECT_THAT(run({"--manifest", manifest()}).err, HasSubstr("schema_version"));
}

}  // namespace
}  // namespace parity::cli
