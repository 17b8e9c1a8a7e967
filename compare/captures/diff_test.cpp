// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/diff.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/captures/flow_order.hpp"
#include "golden/files/activation_writer.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kLayer = "steps/000/text/layers/01/";

struct Tap {
  std::string path;
  std::vector<double> values;
  Shape shape;
  std::string axes = "B,S,H";
  DType dtype = DType::f32;
};

Tensor tensor_of(const Tap& tap) {
  Tensor tensor(tap.dtype, tap.shape, tap.axes);
  for (size_t i = 0; i < tap.values.size(); ++i) {
    store_element(tap.dtype, tensor.view().data + static_cast<int64_t>(i) * size_of(tap.dtype), tap.values[i]);
  }
  return tensor;
}

class Diff : public ::testing::Test {
 protected:
  golden::ActivationFile file(const std::string& name, const std::vector<Tap>& taps) const {
    auto writer = golden::ActivationWriter::create(folder / name, {{"system", std::string("minimax_m3_vl")}});
    for (const Tap& tap : taps) writer.write(tap.path, tensor_of(tap).view(), {tap.axes, "output", "linear"});
    writer.commit();
    return golden::ActivationFile::open(folder / name);
  }
  CaptureDiff diff(const std::vector<Tap>& left, const std::vector<Tap>& right, const std::string& select = "*") const {
    DiffSettings settings;
    settings.select = select;
    return diff_captures(file("left.h5", left), file("right.h5", right), settings);
  }

  golden::TemporaryFolder folder;
};

Tap tap(std::vector<double> values, const std::string& name = "out") {
  return {kLayer + name, std::move(values), {1, 2, 2}};
}

TEST_F(Diff, FindsNothingBetweenEqualCaptures) {
  const auto result = diff({tap({1, 2, 3, 4})}, {tap({1, 2, 3, 4})});

  EXPECT_EQ(result.first_divergence(0.0), nullptr);
  ASSERT_EQ(result.taps.size(), 1);
  EXPECT_EQ(result.taps[0].equal_share(), 1.0);
  EXPECT_THAT(result.taps[0].where, IsEmpty());
}

TEST_F(Diff, MeasuresTheLargestDifference) {
  const auto result = diff({tap({1, 2, 3, 4})}, {tap({1, 2, 2, 8})});

  const TapDiff& worst = result.taps.at(0);
  EXPECT_EQ(worst.unequal, 2);
  EXPECT_EQ(worst.unequal_rows, 1);
  EXPECT_EQ(worst.rows, 2);
  EXPECT_EQ(worst.largest_difference, 4.0);
  EXPECT_EQ(worst.relative(), 0.5);
  EXPECT_THAT(worst.where, ElementsAre(0, 1, 1));
  EXPECT_EQ(worst.layer, 1);
}

/// A row of 20 MiB is read in two blocks. All bytes of the first block are equal.
TEST_F(Diff, ComparesALongRowInBlocks) {
  constexpr int64_t kCount = 5 << 20;
  Tap left{kLayer + "out", std::vector<double>(kCount, 0.0), {1, 1, kCount}};
  left.values[17] = -4.0;
  Tap right = left;
  right.values.back() = 1.0;

  const TapDiff found = diff({left}, {right}).taps.at(0);

  EXPECT_EQ(found.unequal, 1);
  EXPECT_EQ(found.unequal_rows, 1);
  EXPECT_EQ(found.largest, 4.0) << "of the equal block";
  EXPECT_THAT(found.where, ElementsAre(0, 0, kCount - 1));
}

TEST_F(Diff, AcceptsWhatTheRelativeToleranceAllows) {
  const auto result = diff({tap({1, 2, 3, 4})}, {tap({1, 2, 3, 4.004})});

  EXPECT_EQ(result.first_divergence(0.01), nullptr);
  EXPECT_NE(result.first_divergence(0.0001), nullptr);
}

TEST_F(Diff, NamesTheTapThatTheFlowReachesFirst) {
  const std::vector<Tap> left{tap({0, 0, 0, 0}, "out"), tap({0, 0, 0, 0}, "attention/core/out"),
                              tap({0, 0, 0, 0}, "mlp/down/out")};
  const std::vector<Tap> right{tap({0, 0, 0, 1}, "out"), tap({0, 0, 0, 1}, "attention/core/out"),
                               tap({0, 0, 0, 1}, "mlp/down/out")};

  EXPECT_EQ(diff(left, right).first_divergence(0.0)->tap, kLayer + "attention/core/out");
}

TEST_F(Diff, MatchesNaNWithNaNOnly) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();

  const auto result = diff({tap({nan, nan, inf, 1})}, {tap({nan, 2, inf, inf})});

  EXPECT_EQ(result.taps.at(0).not_finite, 2);
  EXPECT_EQ(result.taps.at(0).unequal, 2);
  EXPECT_NE(result.first_divergence(1.0), nullptr);  // no tolerance hides NaN
}

TEST_F(Diff, CountsRowsOfIdsAndToleratesNone) {
  const Tap left{kLayer + "attention/indexer/block_indices", {0, 1, 2, 3}, {1, 2, 2}, "B,S,T", DType::i64};
  Tap right = left;
  right.values = {0, 1, 2, 4};

  const auto result = diff({left}, {right});

  EXPECT_TRUE(result.taps.at(0).discrete);
  EXPECT_EQ(result.taps.at(0).unequal_rows, 1);
  EXPECT_NE(result.first_divergence(1.0), nullptr);
}

TEST_F(Diff, PairsExpertSlotsByTheirIds) {
  const std::string router = kLayer + "moe/router/";
  const Tap left_ids{router + "indices", {3, 5, 1, 2}, {2, 2}, "N,T", DType::i64};
  const Tap right_ids{router + "indices", {5, 3, 1, 2}, {2, 2}, "N,T", DType::i64};
  const Tap left_weights{router + "weights", {0.25, 0.75, 0.5, 0.5}, {2, 2}, "N,T"};
  const Tap right_weights{router + "weights", {0.75, 0.25, 0.5, 0.5}, {2, 2}, "N,T"};

  EXPECT_EQ(diff({left_ids, left_weights}, {right_ids, right_weights}).first_divergence(0.0), nullptr);
  EXPECT_EQ(diff({left_ids, left_weights}, {right_ids, left_weights}).first_divergence(0.0)->tap, left_weights.path);
}

TEST_F(Diff, ReportsShapesAndTypesThatDiffer) {
  const auto shape = diff({tap({1, 2, 3, 4})}, {{kLayer + "out", {1, 2}, {1, 1, 2}}});
  Tap narrow = tap({1, 2, 3, 4});
  narrow.dtype = DType::bf16;
  const auto type = diff({tap({1, 2, 3, 4})}, {narrow});

  EXPECT_EQ(shape.taps.at(0).problem, "shape (1, 2, 2) against (1, 1, 2)");
  EXPECT_EQ(type.taps.at(0).problem, "f32 against bf16");
  EXPECT_NE(type.first_divergence(1.0), nullptr);
}

TEST_F(Diff, ListsWhatOnlyOneHolds) {
  const auto result =
      diff({tap({1, 2, 3, 4}), tap({1, 2, 3, 4}, "in")}, {tap({1, 2, 3, 4}), tap({1, 2, 3, 4}, "mlp/down/out")});

  EXPECT_THAT(result.only_left, ElementsAre(kLayer + "in"));
  EXPECT_THAT(result.only_right, ElementsAre(kLayer + "mlp/down/out"));
  EXPECT_EQ(result.first_divergence(0.0), nullptr);  // a tap that one side lacks is not a difference
}

TEST_F(Diff, SelectsByGlob) {
  const auto result =
      diff({tap({1, 2, 3, 4}), tap({1, 2, 3, 4}, "in")}, {tap({9, 2, 3, 4}), tap({1, 2, 3, 4}, "in")}, "*/in");

  ASSERT_EQ(result.taps.size(), 1);
  EXPECT_EQ(result.first_divergence(0.0), nullptr);
}

TEST_F(Diff, ComparesLongTapsInPortions) {
  const int64_t rows = 3000;  // each of 8 KiB: more than one block of 16 MiB
  Tap left{"steps/000/text/embed/out", std::vector<double>(static_cast<size_t>(rows * 2048), 1.0), {rows, 2048}, "N,H"};
  Tap right = left;
  right.values.back() = 2.0;

  const auto result = diff({left}, {right});

  EXPECT_EQ(result.taps.at(0).unequal, 1);
  EXPECT_EQ(result.taps.at(0).rows, rows);
  EXPECT_THAT(result.taps.at(0).where, ElementsAre(rows - 1, 2047));
}

TEST(FlowOrder, FollowsTheModel) {
  const std::vector<std::string> flow{"weights/model.norm.weight",
                                      "steps/000/tokens/input_ids",
                                      "steps/000/vision/image/patch_embed/out",
                                      "steps/000/vision/image/layers/00/out",
                                      "steps/000/vision/image/merger/in",
                                      "steps/000/text/embed/out",
                                      "steps/000/splice/out",
                                      "steps/000/text/rope/cos",
                                      "steps/000/text/layers/00/in",
                                      "steps/000/text/layers/00/attention/core/out",
                                      "steps/000/text/layers/00/mlp/down/out",
                                      "steps/000/text/layers/00/out",
                                      "steps/000/text/layers/02/in",
                                      "steps/000/text/layers/10/in",
                                      "steps/000/text/final_norm/out",
                                      "steps/000/text/lm_head/out",
                                      "steps/000/loss",
                                      "steps/001/text/embed/out",
                                      "steps/000/exact/text/embed/out",
                                      "config"};

  for (size_t i = 0; i + 1 < flow.size(); ++i) EXPECT_LT(flow_place(flow[i]), flow_place(flow[i + 1])) << flow[i];
}

TEST(FlowOrder, NamesSections) {
  EXPECT_EQ(flow_section("steps/000/text/layers/03/moe/out"), "layer 03");
  EXPECT_EQ(flow_section("steps/000/exact/text/layers/03/moe/out"), "exact layer 03");
  EXPECT_EQ(flow_section("steps/000/vision/image/layers/01/out"), "image layer 01");
  EXPECT_EQ(flow_section("steps/002/text/lm_head/out"), "lm_head");
  EXPECT_EQ(flow_section("steps/002/tokens/input_ids"), "tokens");
  EXPECT_EQ(flow_section("loss"), "loss");
}

}  // namespace
}  // namespace parity::compare
