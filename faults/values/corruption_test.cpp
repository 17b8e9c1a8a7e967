// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/values/corruption.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "faults/studies/effect.hpp"

namespace parity::faults {
namespace {

using Numbers = std::vector<double>;

Tensor tensor_of(DType dtype, const Shape& shape, const Numbers& numbers) {
  Tensor tensor(dtype, shape);
  for (size_t i = 0; i < numbers.size(); ++i) {
    store_element(dtype, tensor.view().data + static_cast<int64_t>(i) * size_of(dtype), numbers[i]);
  }
  return tensor;
}

Numbers numbers_of(const Tensor& tensor) {
  Numbers result;
  for (int64_t i = 0; i < tensor.view().count(); ++i) result.push_back(tensor.view().value(i));
  return result;
}

/// A tap with its values, to which kinds are applied by name.
struct Damage {
  Target target;
  Material material;

  Damage(DType dtype, const std::string& axes, const Shape& shape, const Numbers& numbers) {
    target.axes = axes;
    target.shape = shape;
    target.dtype = dtype;
    material.recorded = tensor_of(dtype, shape, numbers);
  }

  [[nodiscard]] Numbers after(const std::string& kind, uint64_t seed) const {
    Draws draws(seed);
    return numbers_of(corrupted(find_corruption_kind(kind), target, material, draws));
  }
  /// Returns the results of the first 64 seeds.
  [[nodiscard]] std::set<Numbers> outcomes(const std::string& kind) const {
    std::set<Numbers> result;
    for (uint64_t seed = 0; seed < 64; ++seed) result.insert(after(kind, seed));
    return result;
  }
  [[nodiscard]] std::set<std::string> kinds() const {
    std::set<std::string> names;
    for (const CorruptionKind& kind : corruption_kinds()) {
      if (kind.applies(target)) names.insert(kind.name);
    }
    return names;
  }
};

using Outcomes = std::set<Numbers>;
using Names = std::set<std::string>;

TEST(Corruption, NegatesOneRow) {
  const Damage tap(DType::bf16, "S,H", {2, 2}, {1, 2, 3, 4});

  EXPECT_EQ(tap.outcomes("row-negated"), (Outcomes{{-1, -2, 3, 4}, {1, 2, -3, -4}}));
}

TEST(Corruption, NegatesAScalar) {
  const Damage tap(DType::f32, "", {}, {0.5});

  EXPECT_EQ(tap.outcomes("row-negated"), (Outcomes{{-0.5}}));
  EXPECT_EQ(tap.kinds(), (Names{"row-negated", "one-nan", "offset-of-four-bounds"}));
}

TEST(Corruption, DoublesOneHeadOfAFlattenedAxis) {
  Damage tap(DType::f32, "B,S,AD", {1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  tap.target.sizes = {{'A', 2}, {'D', 2}};

  EXPECT_EQ(tap.outcomes("head-doubled"), (Outcomes{{2, 4, 3, 4, 10, 12, 7, 8}, {1, 2, 6, 8, 5, 6, 14, 16}}));
}

TEST(Corruption, DoublesOneHeadOfAnAxisOfItsOwn) {
  Damage tap(DType::f32, "B,G,S,D", {1, 2, 1, 2}, {1, 2, 3, 4});
  tap.target.sizes = {{'G', 2}};

  EXPECT_EQ(tap.outcomes("head-doubled"), (Outcomes{{2, 4, 3, 4}, {1, 2, 6, 8}}));
}

TEST(Corruption, SwapsTwoRows) {
  const Damage tap(DType::f64, "S,H", {3, 1}, {1, 2, 3});

  EXPECT_EQ(tap.outcomes("rows-swapped"), (Outcomes{{2, 1, 3}, {3, 2, 1}, {1, 3, 2}}));
}

TEST(Corruption, MovesOneIdByOneButNoPadding) {
  Damage tap(DType::i64, "S,T", {1, 3}, {5, 2, -1});
  tap.target.judge = Judge::block_list;

  EXPECT_EQ(tap.outcomes("id-off-by-one"), (Outcomes{{6, 2, -1}, {4, 2, -1}, {5, 3, -1}, {5, 1, -1}}));
}

TEST(Corruption, DropsTheLastBlockOfOneList) {
  Damage tap(DType::i64, "S,T", {2, 3}, {5, 2, -1, 1, 0, 4});
  tap.target.judge = Judge::block_list;

  EXPECT_EQ(tap.outcomes("last-block-dropped"), (Outcomes{{5, -1, -1, 1, 0, 4}, {5, 2, -1, 1, 0, -1}}));
}

TEST(Corruption, RotatesTheWeightsOfOneToken) {
  Damage tap(DType::f32, "N,T", {2, 3}, {1, 2, 3, 4, 5, 6});
  tap.target.component = "router";
  tap.target.field = "weights";

  EXPECT_EQ(tap.outcomes("weights-permuted"),
            (Outcomes{{2, 3, 1, 4, 5, 6}, {3, 1, 2, 4, 5, 6}, {1, 2, 3, 5, 6, 4}, {1, 2, 3, 6, 4, 5}}));
}

TEST(Corruption, PutsExactlyOneNan) {
  for (const DType dtype : {DType::bf16, DType::f32, DType::f64}) {
    const Damage tap(dtype, "S,H", {2, 2}, {1, 2, 3, 4});

    const Numbers numbers = tap.after("one-nan", 7);

    EXPECT_EQ(std::count_if(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); }), 1)
        << to_string(dtype);
  }
}

TEST(Corruption, TransposesATile) {
  const Damage square(DType::f32, "S,H", {2, 2}, {1, 2, 3, 4});
  const Damage wide(DType::f32, "S,H", {2, 3}, {1, 2, 3, 4, 5, 6});

  EXPECT_EQ(square.outcomes("tile-transposed"), (Outcomes{{1, 3, 2, 4}}));
  EXPECT_EQ(wide.outcomes("tile-transposed"), (Outcomes{{1, 4, 3, 2, 5, 6}, {1, 2, 5, 4, 3, 6}}));
}

TEST(Corruption, ShiftsOneRowByFourTolerances) {
  Damage tap(DType::f32, "S,H", {2, 2}, {1, 2, 3, 4});
  tap.material.tolerance = tensor_of(DType::f64, {2, 2}, {0.25, 0.5, 1, HUGE_VAL});

  EXPECT_EQ(tap.outcomes("offset-of-four-bounds"), (Outcomes{{2, 4, 3, 4}, {0, 0, 3, 4}, {1, 2, 7, 4}, {1, 2, -1, 4}}));
}

TEST(Corruption, TakesAnotherLayersTap) {
  Damage tap(DType::bf16, "S,H", {1, 2}, {1, 2});
  tap.target.others = {"steps/000/text/layers/01/out"};
  tap.material.other = tensor_of(DType::bf16, {1, 2}, {3, 4});

  EXPECT_EQ(tap.outcomes("stale-copy"), (Outcomes{{3, 4}}));
}

TEST(Corruption, LeavesTheRecordedTapAlone) {
  const Damage tap(DType::f32, "S,H", {2, 2}, {1, 2, 3, 4});

  EXPECT_NE(tap.after("row-negated", 1), numbers_of(tap.material.recorded));

  EXPECT_EQ(numbers_of(tap.material.recorded), (Numbers{1, 2, 3, 4}));
}

TEST(Corruption, AppliesWhereTheTapHasWhatItDamages) {
  Damage projection(DType::bf16, "B,S,AD", {1, 2, 4}, {});
  projection.target.sizes = {{'A', 2}};
  Damage lists(DType::i64, "B,S,T", {1, 2, 2}, {});
  lists.target.judge = Judge::block_list;
  Damage experts(DType::i64, "N,T", {2, 2}, {});
  experts.target.judge = Judge::expert_set;

  EXPECT_EQ(projection.kinds(), (Names{"row-negated", "head-doubled", "rows-swapped", "one-nan", "tile-transposed",
                                       "offset-of-four-bounds"}));
  EXPECT_EQ(lists.kinds(), (Names{"id-off-by-one", "last-block-dropped"}));
  EXPECT_EQ(experts.kinds(), (Names{"id-off-by-one"}));
}

TEST(Corruption, UnknownKindNamesTheNearest) { EXPECT_THROW((void)find_corruption_kind("row-negate"), Error); }

TEST(Effect, IsRelativeToTheLargestMagnitude) {
  const Effect effect = effect_of(tensor_of(DType::f32, {4}, {1, -4, 0, 2}), tensor_of(DType::f32, {4}, {1, -4, 1, 2}));

  EXPECT_EQ(effect.changed, 1);
  EXPECT_EQ(effect.share, 0.25);
  EXPECT_EQ(effect.relative, 0.25);
}

TEST(Effect, OfANanIsInfinite) {
  EXPECT_EQ(effect_of(tensor_of(DType::bf16, {2}, {1, 2}), tensor_of(DType::bf16, {2}, {std::nan(""), 2})).relative,
            HUGE_VAL);
}

TEST(Effect, SignsOfZeroAndEqualRowsChangeNothing) {
  EXPECT_EQ(
      effect_of(tensor_of(DType::f32, {2}, {0.0, HUGE_VAL}), tensor_of(DType::f32, {2}, {-0.0, HUGE_VAL})).changed, 0);
}

}  // namespace
}  // namespace parity::faults
