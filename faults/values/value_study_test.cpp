// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/values/value_study.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace parity::faults {
namespace {

constexpr const char* kNarrow = "golden/data/m3-text-bf16";
constexpr const char* kWide = "golden/data/m3-text-f32";

TEST(Choices, AllAreMadeOnce) {
  std::set<std::pair<int64_t, int64_t>> made;
  Choices choices = Choices::all();
  int64_t rounds = 0;
  do {
    const int64_t first = choices.below(3);
    const int64_t second = first == 0 ? 0 : choices.below(2);
    made.emplace(first, second);
    ++rounds;
  } while (choices.next());

  EXPECT_EQ(rounds, 5);
  EXPECT_EQ(made.size(), 5U);
}

TEST(ValueCorruption, IsTheSameForTheSameSeed) {
  Target target;
  target.axes = "B,S,AD";
  target.shape = {2, 5, 12};
  target.sizes = {{'B', 2}, {'S', 5}, {'A', 3}, {'D', 4}};
  target.dtype = DType::f32;
  ValueMaterial material;
  material.recorded = Tensor(DType::f32, target.shape, target.axes);
  for (int64_t i = 0; i < 120; ++i)
    store_element(DType::f32, material.recorded.view().data + i * size_of(DType::f32), static_cast<double>(i));

  for (const ValueCorruption& corruption : value_corruptions()) {
    if (!corruption.applies(target, material)) continue;
    Choices first(7), second(7);
    const Tensor once = damaged(corruption, target, material, first);
    const Tensor again = damaged(corruption, target, material, second);
    for (int64_t i = 0; i < 120; ++i) {
      const double a = once.view().value(i), b = again.view().value(i);
      EXPECT_TRUE(a == b || (a != a && b != b)) << corruption.name;
    }
  }
}

ValueTrial trial_of(const char* golden, const char* tap, const char* kind, uint64_t seed) {
  const Fixture fixture(golden);
  const auto target =
      std::find_if(fixture.targets().begin(), fixture.targets().end(), [&](const Target& t) { return t.tap == tap; });
  const auto corruption = std::find_if(value_corruptions().begin(), value_corruptions().end(),
                                       [&](const ValueCorruption& c) { return c.name == std::string(kind); });
  PARITY_CHECK(target != fixture.targets().end() && corruption != value_corruptions().end(), usage, "no {} {}", tap,
               kind);
  return run_value_trial(fixture, *target, *corruption, seed);
}

TEST(ValueStudy, ANameThatIsTrueIsNotWrong) {
  // Of six rows a, b, c, a, b, c a transposition of batch and tokens is an exchange of rows 1 to 2 and 3 to 4.
  const ValueTrial rows =
      trial_of("golden/data/m3-text-f64", "steps/002/text/rope/sin", "transposed", 4879032006329402428U);
  ASSERT_TRUE(rows.said);
  EXPECT_EQ(rows.said->kind, compare::ValueKind::exchanged);
  EXPECT_TRUE(rows.equivalent);

  // A random order of four heads may move each head by one.
  const ValueTrial heads = trial_of("golden/data/m3-cache-bf16", "steps/000/text/layers/01/attention/q_norm/out",
                                    "permuted", 11476677961011178864U);
  ASSERT_TRUE(heads.said);
  EXPECT_EQ(heads.said->kind, compare::ValueKind::shifted);
  EXPECT_TRUE(heads.equivalent);

  // A transposition of axes before the last one changes the order of rows.
  const ValueTrial slots =
      trial_of("golden/data/m3-text-only-aux", "steps/001/text/layers/00/cache/v", "transposed", 4071832912863090557U);
  ASSERT_TRUE(slots.said);
  EXPECT_EQ(slots.said->kind, compare::ValueKind::permuted);
  EXPECT_TRUE(slots.equivalent);
}

TEST(ValueStudy, ANameOfNumbersMayBeTrueOfIds) {
  const ValueTrial trial = trial_of("golden/data/text01-heads-number-f32",
                                    "steps/000/text/layers/01/moe/router/indices", "permuted", 15368629632678068179U);
  ASSERT_TRUE(trial.said);
  EXPECT_EQ(trial.said->kind, compare::ValueKind::exchanged);  // "every two neighbouring sequences exchanged"
  EXPECT_TRUE(trial.equivalent);
}

TEST(ValueStudy, ATypeIsNamedRatherThanAWidthThatFitsAFewValues) {
  const ValueTrial trial = trial_of("golden/data/m3-text-pergroup-bf16", "steps/001/text/layers/01/moe/router/weights",
                                    "truncated", 1658964590366952854U);
  ASSERT_TRUE(trial.said);
  EXPECT_EQ(trial.said->kind, compare::ValueKind::truncated) << trial.said->detail;
}

TEST(ValueStudy, NamesWhatWasDone) {
  ValueStudyOptions options;
  options.goldens = {kNarrow, kWide};
  options.corruptions = 60;
  options.seed = 11;

  const ValueStudy study = run_value_study(options);

  EXPECT_EQ(study.trials.size(), 60U);
  EXPECT_GE(study.named_rate(), kLeastValuesNamed);
  for (const ValueTrial& trial : study.trials)
    EXPECT_FALSE(trial.misnamed()) << trial.kind << " " << trial.golden << "#" << trial.tap << " " << trial.seed << " "
                                   << trial.said->detail;
}

}  // namespace
}  // namespace parity::faults
