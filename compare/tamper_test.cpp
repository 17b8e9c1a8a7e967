// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// End to end: what is wrong fails, where it is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/golden_cases.hpp"

namespace parity::compare {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using namespace testing;

struct Place {
  const char* golden;
  const char* tap;
};

std::ostream& operator<<(std::ostream& stream, const Place& place) {
  return stream << place.golden << "#" << place.tap;
}

constexpr Place kPlaces[] = {
    {"m3-text-bf16", "steps/000/text/embed/out"},
    {"m3-text-bf16", "steps/000/text/rope/cos"},
    {"m3-text-bf16", "steps/000/text/layers/00/input_norm/out"},
    {"m3-text-bf16", "steps/001/text/layers/01/attention/q_proj/out"},
    {"m3-text-bf16", "steps/003/text/layers/01/attention/k_rope/out"},
    {"m3-text-bf16", "steps/003/text/layers/01/cache/v"},
    {"m3-text-bf16", "steps/000/text/layers/01/attention/indexer/block_scores"},
    {"m3-text-bf16", "steps/000/text/layers/01/attention/core/out"},
    {"m3-text-bf16", "steps/000/text/layers/01/moe/router/scores"},
    {"m3-text-bf16", "steps/000/text/layers/01/moe/router/weights"},
    {"m3-text-bf16", "steps/000/text/layers/01/moe/experts/out"},
    {"m3-text-bf16", "steps/000/text/layers/00/mlp/activation/out"},
    {"m3-text-bf16", "steps/003/text/layers/01/out"},
    {"m3-text-bf16", "steps/003/text/lm_head/out"},
    {"m3-text-bf16", "steps/000/loss"},
    {"m3-text-f32", "steps/001/text/layers/00/moe/shared/down/out"},
    {"m3-text-f64", "steps/002/text/layers/01/post_attention_norm/out"},
    {"m3-text-only-aux", "steps/000/text/layers/01/out"},
    {"m3-text-only-aux", "steps/000/aux_loss"},
    {"m3-text-partial-bf16", "steps/000/text/layers/01/out"},
    {"m3-text-pergroup-bf16", "steps/000/text/layers/01/attention/o_proj/out"},
    {"m3-text-sdpa-bf16", "steps/000/text/layers/01/moe/out"},
};

/// One element off by a tenth of the tap's largest magnitude.
Tensor tampered(const Tensor& recorded) {
  const TensorView& view = recorded.view();
  double largest = 0.0;
  for (int64_t i = 0; i < view.count(); ++i) {
    if (std::isfinite(view.value(i))) largest = std::max(largest, std::abs(view.value(i)));
  }
  int64_t at = view.count() * 2 / 3;
  while (!std::isfinite(view.value(at))) ++at;
  return with_element(recorded, at, view.value(at) + 0.1 * largest);
}

class Tampered : public ::testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    file.emplace(golden::ActivationFile::open(source() / "activations.h5"));
    ASSERT_TRUE(file->contains(GetParam().tap));
    changes.values[GetParam().tap] = tampered(file->read(GetParam().tap));
  }
  fs::path source() const { return kData / GetParam().golden; }

  void expect_named(const GoldenReport& report) const {
    EXPECT_EQ(report.verdict, Status::fail) << complaints(report);
    ASSERT_TRUE(report.first_divergence.has_value());
    EXPECT_EQ(report.first_divergence->tap, GetParam().tap) << complaints(report);
    const Record* record = find(report, GetParam().tap);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->component, report.first_divergence->component);
    EXPECT_EQ(record->failed, 1);
    EXPECT_THAT(record->repro, HasSubstr(std::string("#") + GetParam().tap + "'"));
  }

  Scratch scratch;
  std::optional<golden::ActivationFile> file;
  Changes changes;
};

INSTANTIATE_TEST_SUITE_P(OneElement, Tampered, ::testing::ValuesIn(kPlaces), [](const auto& place) {
  std::string name = std::string(place.param.golden) + "_" + place.param.tap;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST_P(Tampered, GoldenIsNamedAsTheFirstDivergence) {
  expect_named(judge(copy_golden(source(), scratch / "copy", changes), only(Mode::isolated)));
}

TEST_P(Tampered, CaptureIsNamedAsTheFirstDivergence) {
  RunOptions options = only(Mode::isolated);
  options.candidate = RunOptions::Candidate::capture;
  options.capture = scratch / "capture.h5";
  (void)replay::testing::Copy(*file, options.capture, changes);

  expect_named(judge(source(), options));
}

/// Records that do not pass when `tap` of m3-text-f32 becomes `value`.
std::set<std::string> broken(const std::string& tap, const Tensor& value, Mode mode) {
  const Scratch scratch;
  Changes changes;
  changes.values[tap] = value;
  std::set<std::string> result;
  for (const Record& r : judge(copy_golden(kData / "m3-text-f32", scratch / "copy", changes), only(mode)).records) {
    if (r.status != Status::pass) result.insert(r.tap);
  }
  return result;
}

class Decisions : public ::testing::Test {
 protected:
  static constexpr const char* kIndices = "steps/000/text/layers/01/moe/router/indices";
  static constexpr const char* kWeights = "steps/000/text/layers/01/moe/router/weights";

  /// The clearly worst expert in the place of the first choice of the first token.
  Tensor wrong_expert() const {
    const Tensor choice = file.read("steps/000/text/layers/01/moe/router/choice");
    int64_t worst = 0;
    for (int64_t e = 0; e < choice.shape().back(); ++e) {
      if (choice.view().value(e) < choice.view().value(worst)) worst = e;
    }
    return with_element(file.read(kIndices), 0, static_cast<double>(worst));
  }
  golden::ActivationFile file = golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5");
};

TEST_F(Decisions, ThatAreWrongFailWhereTheyAreMade) {
  const auto isolated = broken(kIndices, wrong_expert(), Mode::isolated);

  EXPECT_TRUE(isolated.contains(kIndices));
  EXPECT_FALSE(isolated.contains("steps/000/text/layers/01/moe/router/scores"));
}

TEST_F(Decisions, ThatBreakTheContractAreNotContinuedWithInAChain) {
  EXPECT_THAT(broken(kIndices, wrong_expert(), Mode::chained), ::testing::ElementsAre(kIndices));
}

TEST_F(Decisions, AreContinuedWithWhenForced) {
  const auto forced = broken(kIndices, wrong_expert(), Mode::forced);

  EXPECT_TRUE(forced.contains(kIndices));
  EXPECT_TRUE(forced.contains(kWeights)) << "the recorded weights belong to the true experts";
}

TEST_F(Decisions, InAnotherOrderOfSlotsAreAsGood) {
  Tensor ids = convert(file.read(kIndices).view(), DType::i64);
  Tensor weights = convert(file.read(kWeights).view(), DType::f32);
  auto* w = reinterpret_cast<float*>(weights.view().data);
  std::swap(ids.i64()[0], ids.i64()[1]);
  std::swap(w[0], w[1]);
  const Scratch scratch;
  Changes changes;
  changes.values = {{kIndices, ids}, {kWeights, weights}};
  changes.dropped = {"steps/000/*/experts/slot_*"};  // these follow the slots
  const GoldenReport report = judge(copy_golden(kData / "m3-text-f32", scratch / "copy", changes));

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
}

TEST_F(Decisions, OfBlocksAreListsInOrder) {
  const std::string tap = "steps/000/text/layers/00/attention/indexer/block_indices";
  Tensor ids = convert(file.read(tap).view(), DType::i64);
  const int64_t last = ids.view().count() - ids.shape().back();
  std::swap(ids.i64()[last], ids.i64()[last + 4]);

  EXPECT_TRUE(broken(tap, ids, Mode::isolated).contains(tap));
}

/// (clamp(up) + 1) g sigmoid(alpha g) in one piece, as a fused kernel would: rounded to bf16 only at the end.
TEST(RoundedOnce, SwigluIsNotTheOraclesBits) {
  const Scratch scratch;
  const std::string tap = "steps/000/text/layers/00/mlp/activation/out";
  const auto file = golden::ActivationFile::open(kData / "m3-text-bf16" / "activations.h5");
  const Tensor gate_up = widen(file.read("steps/000/text/layers/00/mlp/gate_up/out"));
  Tensor fused = file.read(tap);
  const int64_t width = fused.shape().back();
  for (int64_t i = 0; i < fused.view().count(); ++i) {
    const double* row = gate_up.f64() + i / width * 2 * width;
    const double gate = std::min(row[i % width], 7.0);
    const double up = std::clamp(row[width + i % width], -7.0, 7.0);
    fused = i == 0 ? convert(fused.view(), DType::bf16) : fused;
    store_element(DType::bf16, fused.view().data + 2 * i, (up + 1.0) * gate / (1.0 + std::exp(-1.702 * gate)));
  }
  Changes changes;
  changes.values[tap] = fused;
  const GoldenReport report =
      judge(copy_golden(kData / "m3-text-bf16", scratch / "copy", changes), only(Mode::isolated, tap));

  ASSERT_EQ(report.records.size(), 1U);
  EXPECT_EQ(report.records[0].failed, 0) << "more exact than the oracle, element by element";
  EXPECT_EQ(report.verdict, Status::fail);
  EXPECT_THAT(report.records[0].reason, HasSubstr("not the oracle's bits"));
}

/// Decisions that nothing records excuse only what hangs on them.
TEST(OpenDecisions, DoNotExcuseTheRest) {
  const Scratch scratch;
  const std::string tap = "steps/000/text/layers/01/attention/o_proj/out";
  const auto file = golden::ActivationFile::open(kData / "m3-text-bf16" / "activations.h5");
  Changes changes;
  changes.dropped = {"*/layers/01/attention/indexer/block_*", "*/layers/01/attention/core/out"};
  EXPECT_EQ(judge(copy_golden(kData / "m3-text-bf16", scratch / "right", changes), only(Mode::isolated)).verdict,
            Status::pass);

  changes.values[tap] = tampered(file.read(tap));
  const GoldenReport report =
      judge(copy_golden(kData / "m3-text-bf16", scratch / "wrong", changes), only(Mode::isolated));
  EXPECT_EQ(report.verdict, Status::fail);
  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_EQ(report.first_divergence->tap, tap);
}

}  // namespace
}  // namespace parity::compare
