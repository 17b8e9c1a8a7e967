// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/engines/engine_bisect.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "faults/catalogue.hpp"
#include "faults/studies/fixture.hpp"
#include "faults/testing/text_fixture.hpp"
#include "golden/files/activation_writer.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::faults {
namespace {

using tests::fixture;

using ::testing::Each;
using ::testing::HasSubstr;

/// A fake engine of 100 nodes, some of them faulty, that refuses some cuts.
struct Fake {
  std::set<int64_t> faulty, refused;
  bool rest = true;
  mutable int runs = 0;

  [[nodiscard]] std::optional<double> operator()(int64_t cut) const {
    ++runs;
    if (refused.contains(cut)) return std::nullopt;
    const auto fault = faulty.lower_bound(cut);  // first faulty node at or after the cut
    return (rest ? fault != faulty.end() : fault != faulty.begin()) ? 100.0 : 1.0;
  }
};

const std::vector<int64_t> kLayers{1, 20, 40, 60, 80, 99};

TEST(Locate, NamesTheLastFaultyNodeFromTheCutAndTheFirstUpToIt) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Random random(seed, "faulty");
    Fake fake;
    for (uint64_t i = 0; i <= random.below(0, 3); ++i)
      fake.faulty.insert(static_cast<int64_t>(random.below(i + 1, 100)));
    for (const bool rest : {true, false}) {
      fake.rest = rest;
      fake.runs = 0;
      const Located at = locate(100, kLayers, rest ? 0 : 100, std::cref(fake));

      EXPECT_EQ(at.low, rest ? *fake.faulty.rbegin() : *fake.faulty.begin()) << seed;
      EXPECT_EQ(at.high, at.low + 1) << seed;
      EXPECT_LE(fake.runs, 10) << seed;
    }
  }
}

TEST(Locate, WithRefusedCutsHoldsTheFaultyNodeInTheNarrowestOthers) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Random random(seed, "refused");
    Fake fake{{static_cast<int64_t>(random.below(0, 100))}, {}, true};
    for (int64_t cut = 1; cut < 100; ++cut) {
      if (random.below(static_cast<uint64_t>(cut), 4) == 0) fake.refused.insert(cut);
    }
    const Located at = locate(100, kLayers, 0, std::cref(fake));
    const int64_t node = *fake.faulty.begin();

    EXPECT_LE(at.low, node) << seed;
    EXPECT_GT(at.high, node) << seed;
    EXPECT_THAT(at.refused, Each(::testing::Truly([&](int64_t cut) { return fake.refused.contains(cut); })));
    EXPECT_FALSE(fake.refused.contains(at.low));
    EXPECT_LE(fake.runs, 30) << seed;
  }
}

TEST(Locate, OfAnEngineThatStartsBetweenLayersOnlyNamesTheLayer) {
  Fake fake{{47}, {}, true};
  for (int64_t cut = 1; cut < 100; ++cut) fake.refused.insert(cut);
  for (const int64_t cut : kLayers) fake.refused.erase(cut);
  const Located at = locate(100, kLayers, 0, std::cref(fake));

  EXPECT_EQ(at.low, 40);
  EXPECT_EQ(at.high, 60);
  EXPECT_EQ(at.refused.size(), static_cast<size_t>(kPatience));
}

TEST(Locate, OfARightEngineTakesOneRunAndOfOneThatRefusesAllIsAnError) {
  Fake fake;
  const Located at = locate(100, kLayers, 0, std::cref(fake));
  EXPECT_EQ(at.low, at.high);
  EXPECT_EQ(fake.runs, 1);

  fake.refused.insert(0);
  EXPECT_THROW((void)locate(100, kLayers, 0, std::cref(fake)), Error);
}

TEST(Route, IsCrossedByLittleBetweenLayers) {
  const Route route(fixture().plan(), "steps/000/text/lm_head/out");
  for (const int64_t cut : route.layer_cuts()) EXPECT_LE(route.crossing(cut).size(), 6U) << cut;
  EXPECT_EQ(route.crossing(static_cast<int64_t>(route.nodes().size())).size(), 1U);
}

/// Returns the error message of a bisection with the shell command as engine.
std::string error_of(const std::string& command, double timeout_s = 60.0) {
  const Engine engine{command, timeout_s};
  try {
    (void)bisect_engine(engine, fixture().golden(), fixture().plan(), fixture().recording(), {});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Engine, ThatFailsIsAClearError) {
  EXPECT_THAT(error_of("false"), HasSubstr("failed with exit code 1"));
  EXPECT_THAT(error_of("kill -9 $$; true"), HasSubstr("killed by signal 9"));
  EXPECT_THAT(error_of("/nowhere/engine"), HasSubstr("no such command"));
  EXPECT_THAT(error_of("true"), HasSubstr("did not write"));
  EXPECT_THAT(error_of("exit 3; true"), HasSubstr("cannot run from the tokens"));
  EXPECT_THAT(error_of("sleep 20; true", 0.2), HasSubstr("did not end within 0.2 s"));
  EXPECT_THAT(error_of("cp"), HasSubstr("steps/000/text/lm_head/out"));  // the wanted tap is missing
}

TEST(Engine, ThatWritesAnotherShapeIsAClearError) {
  const golden::TemporaryFolder folder;
  auto writer = golden::ActivationWriter::create(folder / "out.h5", {});
  writer.write("steps/000/text/lm_head/out", Tensor(DType::f32, {3}, "V").view(), {"V", "output", "linear"});
  writer.commit();

  EXPECT_THAT(error_of("f() { cp " + (folder / "out.h5").string() + " \"$2\"; }; f"), HasSubstr("has shape (3)"));
}

TEST(Boundary, AnsweredByTheReferenceIsTheReferencesEnd) {
  const replay::Evaluator evaluator(registry(), fixture().plan(), fixture().golden().parameters());
  const Route route(fixture().plan(), "steps/000/text/lm_head/out");
  const auto lanes = replay::Evaluator::Lanes::rounded;
  const auto nodes = static_cast<int64_t>(route.nodes().size());
  const auto right = route.walk(evaluator, fixture().recording(), nodes, lanes).at(route.end());
  for (int64_t cut = 0; cut < nodes; cut += 7) {
    const golden::TemporaryFolder folder;
    const auto taps = route.walk(evaluator, fixture().recording(), cut, lanes);
    write_boundary(fixture().golden(), fixture().plan(), route, fixture().recording(), taps, {route.end()},
                   folder / "in.h5");
    answer_boundary(evaluator, folder / "in.h5", folder / "out.h5");
    const Tensor got = widen(golden::ActivationFile::open(folder / "out.h5").read(route.end()));

    for (int64_t i = 0; i < got.view().count(); ++i) ASSERT_EQ(got.f64()[i], right.rounded.f64()[i]) << cut;
  }
}

}  // namespace
}  // namespace parity::faults
