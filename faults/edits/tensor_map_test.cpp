// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/tensor_map.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace parity::faults {
namespace {

using Numbers = std::vector<double>;

TensorMap map_named(const std::string& kind, const std::string& axis = {}, const std::string& number = "1") {
  TensorMap map;
  map.kind = tensor_map_kind(kind);
  map.axis = axis;
  map.number = number;
  return map;
}

/// Applies the map to a tensor with axes "S,D".
Numbers mapped(const TensorMap& map, const Numbers& x, int64_t rows) {
  const Shape shape{rows, static_cast<int64_t>(x.size()) / rows};
  Numbers out(x.size());
  apply(placed(map, "S,D", shape, {{'K', 3}, {'S', 2}}, {{"R", 2.0}, {"D", 16.0}}), shape, x.data(), out.data());
  return out;
}

TEST(TensorMap, MovesPositionsAlongItsAxis) {
  const Numbers x{0, 1, 2, 3, 4, 5, 6, 7};

  EXPECT_EQ(mapped(map_named("roll", "D"), x, 2), (Numbers{3, 0, 1, 2, 7, 4, 5, 6}));
  EXPECT_EQ(mapped(map_named("late", "D"), x, 2), (Numbers{0, 0, 1, 2, 4, 4, 5, 6}));
  EXPECT_EQ(mapped(map_named("reverse", "S"), x, 2), (Numbers{4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(mapped(map_named("swap_halves", "D"), x, 2), (Numbers{2, 3, 0, 1, 6, 7, 4, 5}));
  EXPECT_EQ(mapped(map_named("interleave", "D"), x, 2), (Numbers{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(mapped(map_named("deinterleave", "D"), x, 2), (Numbers{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(mapped(map_named("ascending", "D"), {3, -1, 2, -1}, 1), (Numbers{2, 3, -1, -1}));
}

TEST(TensorMap, TakesTheSoftmaxAlongItsAxis) {
  const double e = std::exp(1.0);

  const Numbers out = mapped(map_named("softmax", "D"), {0, 1, 700, 701}, 2);

  EXPECT_DOUBLE_EQ(out[0], 1.0 / (1.0 + e));
  EXPECT_DOUBLE_EQ(out[1], e / (1.0 + e));
  EXPECT_DOUBLE_EQ(out[3], e / (1.0 + e));  // a large number does not overflow
}

TEST(TensorMap, ShortensSignificands) {
  TensorMap truncated = map_named("truncate");
  truncated.dtype = DType::bf16;  // has 8 significant bits

  EXPECT_EQ(mapped(truncated, {1.0, 1.00390625, 1.0078125, 1.9999, -1.9999, 0.0}, 1),
            (Numbers{1.0, 1.0, 1.0078125, 1.9921875, -1.9921875, 0.0}));
  EXPECT_EQ(mapped(truncated, {0.9999, 0.5}, 1), (Numbers{0.99609375, 0.5}));  // would round up to a power of two
  EXPECT_EQ(mapped(map_named("significand", {}, "2"), {1.0, 1.3, 5.0, -7.0, 0.0}, 1),
            (Numbers{1.0, 1.5, 4.0, -8.0, 0.0}));
}

TEST(TensorMap, ExchangesRowsAndColumnsOfEveryWindow) {
  TensorMap map = map_named("windowed", "S");
  map.by = 2;

  EXPECT_EQ(mapped(map, {0, 1, 2, 3, 4, 5, 6, 7}, 8), (Numbers{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(mapped(map, {0, 1, 2}, 3), (Numbers{0, 1, 2}));  // no complete window
}

TEST(TensorMap, ReadsTheMemoryOfATransposedTensor) {
  TensorMap map = map_named("as_transposed", "S");

  EXPECT_EQ(mapped(map, {0, 1, 2, 3, 4, 5}, 2), (Numbers{0, 3, 1, 4, 2, 5}));
}

TEST(TensorMap, ChangesOnlyTheChosenPositions) {
  TensorMap every = map_named("scale", "D", "10");
  every.first = "1";
  every.every = 2;
  TensorMap last = map_named("fill", "D", "0");
  last.first = "-1";

  EXPECT_EQ(mapped(every, {1, 2, 3, 4}, 1), (Numbers{1, 20, 3, 40}));
  EXPECT_EQ(mapped(last, {1, 2, 3, 4}, 1), (Numbers{1, 2, 3, 0}));
}

TEST(TensorMap, SelectsWhatStandsInFrontOfThisCall) {
  TensorMap past = map_named("fill", "D", "0");
  past.from_fresh = true;
  past.count = -1;
  TensorMap fresh = map_named("fill", "D", "9");
  fresh.from_fresh = true;

  EXPECT_EQ(mapped(past, {5, 6, 7}, 1), (Numbers{0, 6, 7}));  // K 3, S 2: one slot is from earlier calls
  EXPECT_EQ(mapped(fresh, {5, 6, 7}, 1), (Numbers{5, 9, 9}));
}

TEST(TensorMap, TakesTheMeanOrTheFirstAway) {
  EXPECT_EQ(mapped(map_named("centre", "D"), {1, 2, 6}, 1), (Numbers{-2, -1, 3}));
  EXPECT_EQ(mapped(map_named("relative", "D"), {4, 5, 9}, 1), (Numbers{0, 1, 5}));
}

TEST(TensorMap, LeavesInfinitiesWhereTheyMarkWhatIsLeftOut) {
  const double nothing = -std::numeric_limits<double>::infinity();

  EXPECT_EQ(mapped(map_named("scale", {}, "-1"), {2, nothing}, 1), (Numbers{-2, nothing}));
}

TEST(TensorMap, ExpressionsNameAxesAndParameters) {
  const std::map<std::string, double> names{{"D", 16.0}, {"block_size", 4.0}};

  EXPECT_EQ(value_of_expression("-2.5", names), -2.5);
  EXPECT_EQ(value_of_expression("D", names), 16.0);
  EXPECT_EQ(value_of_expression("-block_size", names), -4.0);
  EXPECT_EQ(value_of_expression("sqrt(D)", names), 4.0);
  EXPECT_EQ(value_of_expression("rsqrt(D)", names), 0.25);
  EXPECT_THROW(static_cast<void>(value_of_expression("width", names)), Error);
  EXPECT_THROW(static_cast<void>(value_of_expression("cube(D)", names)), Error);
}

TEST(TensorMap, RefusesAnAxisThatIsNotThere) {
  EXPECT_THROW(static_cast<void>(mapped(map_named("roll", "H"), {1, 2}, 1)), Error);
  EXPECT_THROW(static_cast<void>(tensor_map_kind("rol")), Error);
}

TEST(TensorMap, SeesItsOwnAxesInWhatAKernelFlattened) {
  const PlacedMap map = placed(map_named("roll", "D"), "S,D", {2, 3}, {{'S', 2}, {'D', 3}});

  EXPECT_EQ(applied_shape(map, {6}), (Shape{2, 3}));
  EXPECT_EQ(applied_shape(map, {3, 2}), (Shape{3, 2}));
  EXPECT_THROW(static_cast<void>(applied_shape(map, {7})), Error);
}

TEST(TensorMap, RefusesToExchangeAnAxisThatIsNotThere) {
  TensorMap map = map_named("as_transposed", "S");
  map.by = 2;  // for a node of three axes, tested on one of two

  EXPECT_THROW(static_cast<void>(placed(map, "S,D", {2, 3}, {{'S', 2}, {'D', 3}})), Error);
}

TEST(TensorMap, RefusesAShapeWithoutItsAxis) {
  const PlacedMap map = placed(map_named("roll", "D"), "S,D", {2, 3}, {{'S', 2}, {'D', 3}});
  const Numbers x(6, 0.0);
  Numbers out(6, 0.0);

  EXPECT_THROW(apply(map, {6}, x.data(), out.data()), Error);
}

}  // namespace
}  // namespace parity::faults
