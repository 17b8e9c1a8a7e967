// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sums of eight columns at once against aligned_group(), which works each element out: equal bits for all that the
// types hold. n is a multiple of 8 in every instruction, so whole vectors reach all columns.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "optimized/ptx/matrix/product.hpp"
#include "optimized/ptx/number/exact_operations.hpp"

namespace parity::ptx {
namespace {

using Type = MatrixType;

struct DrawnFormat {
  Type type;
  int significand_bits, exponent_bits, unused_bits;
  float (*number)(uint32_t code);
};

const DrawnFormat& format_of(Type type) {
  static constexpr DrawnFormat kFormats[] = {
      {Type::f16, 10, 5, 0, &widened<Type::f16>},    {Type::bf16, 7, 8, 0, &widened<Type::bf16>},
      {Type::tf32, 10, 8, 13, &widened<Type::tf32>}, {Type::e4m3, 3, 4, 0, &widened<Type::e4m3>},
      {Type::e5m2, 2, 5, 0, &widened<Type::e5m2>},   {Type::f32, 23, 8, 0, &widened<Type::f32>}};
  return *std::find_if(std::begin(kFormats), std::end(kFormats), [&](const auto& x) { return x.type == type; });
}

/// Numbers of any sign and significand whose exponents lie around `center`; some are zeros or subnormals, and where
/// `special`, some are infinities or NaN. Without a spread they are positive and as large as they can be, so that sums
/// fill an integer.
struct Drawer {
  std::mt19937& dice;
  Type type;
  int center, spread;
  bool special;

  int below(int limit) { return static_cast<int>(dice() % static_cast<uint32_t>(limit)); }
  float draw() {
    const DrawnFormat& format = format_of(type);
    const int most = (1 << format.exponent_bits) - 1, bias = most / 2;
    const int last = type == Type::e4m3 ? most : most - 1;  // the field of the largest numbers
    int field = std::clamp(center + bias + below(2 * spread + 1) - spread, 0, last);
    uint32_t significand = dice() & ((1U << format.significand_bits) - 1);
    if (spread == 0) significand = (1U << format.significand_bits) - 1;
    const int turn = below(24);
    if (turn < 2) field = 0;
    if (turn == 0) significand = 0;
    if (turn == 2 && special && below(4) == 0) {
      field = most;
      if (below(3) > 0) significand = 0;
    }
    if (type == Type::e4m3 && field == most && significand == 7 && !special) significand = 6;  // it would be NaN
    const uint32_t negative = spread == 0 ? 0 : dice() & 1U;
    const uint32_t code =
        (negative << format.exponent_bits | static_cast<uint32_t>(field)) << format.significand_bits | significand;
    return format.number(code << format.unused_bits);
  }
};

struct DrawnProduct {
  int m, n, k;
  std::vector<float> a, b, c;

  DrawnProduct(std::mt19937& dice, const ProductKind& kind, int inner)
      : m(1 + static_cast<int>(dice() % 5)), n(8 + 8 * static_cast<int>(dice() % 4)), k(inner) {
    const int wide = format_of(kind.a).exponent_bits == 8 ? 75 : format_of(kind.a).exponent_bits == 5 ? 15 : 7;
    const int spread = std::array{0, 1, 4, 13, 140}[dice() % 5];
    const bool special = dice() % 3 == 0;
    Drawer of_a{dice, kind.a, 0, spread, special}, of_b{dice, kind.b, 0, spread, special};
    Drawer of_c{dice, kind.sum, 0, spread, special};
    of_a.center = of_a.below(2 * wide + 1) - wide;
    of_b.center = of_a.below(2 * wide + 1) - wide;
    of_c.center = of_a.center + of_b.center + of_a.below(9) - 4;
    for (int i = 0; i < m * k; ++i) a.push_back(of_a.draw());
    for (int i = 0; i < k * n; ++i) b.push_back(of_b.draw());
    for (int i = 0; i < m * n; ++i) c.push_back(of_c.draw());
    if (spread > 0 && of_a.below(3) == 0) cancel();
  }

  /// The second half of the products, but the last, undoes the first: what is left are the small terms.
  void cancel() {
    for (int l = 0; l < k / 2 - 1; ++l) {
      for (int i = 0; i < m; ++i) a[static_cast<size_t>(i * k + k / 2 + l)] = a[static_cast<size_t>(i * k + l)];
      for (int j = 0; j < n; ++j) b[static_cast<size_t>((k / 2 + l) * n + j)] = -b[static_cast<size_t>(l * n + j)];
    }
  }

  /// D of row i and column j, group after group.
  [[nodiscard]] float alone(int i, int j, const AlignedSum& how, Type sum_type) const {
    std::vector<float> row, column;
    for (const bool second : {false, true}) {
      for (int l = 0; l < k; ++l) {
        if (how.pairs_of_four ? (l % 4 >= 2) != second : second) continue;
        row.push_back(a[static_cast<size_t>(i * k + l)]);
        column.push_back(b[static_cast<size_t>(l * n + j)]);
      }
    }
    const float start = c[static_cast<size_t>(i * n + j)];
    float sum = how.adds_c_last ? 0.0F : start;
    for (int first = 0; first < k; first += how.group)
      sum = aligned_group(row.data() + first, column.data() + first, 1, std::min(how.group, k - first), sum, how);
    if (!how.adds_c_last) return sum;
    const auto exact = [](float x) { return decode(NumberType::f32, std::bit_cast<uint32_t>(x)); };
    const Exact last = exact_sum(exact(sum), exact(start), RoundingMode::nearest);
    const bool half = sum_type == Type::f16 && last.kind != Exact::Kind::nan;  // NaN of f32 stands for that of f16
    const auto code = static_cast<uint32_t>(encode(half ? NumberType::f16 : NumberType::f32, last, {}));
    return half ? widened<Type::f16>(code) : std::bit_cast<float>(code);
  }
};

void expect_bits_of_each_alone(const ProductKind& kind, int k) {
  const AlignedSum how = hopper_sum(kind, k);
  const std::string name = fmt::format("{} of {} by {} to {}, k {}", kind.warpgroup ? "wgmma" : "mma",
                                       to_string(kind.a), to_string(kind.b), to_string(kind.sum), k);
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 dice(seed);
    const DrawnProduct x(dice, kind, k);
    std::vector<float> d(x.c.size());
    multiply(x.m, x.n, k, x.a.data(), x.b.data(), x.c.data(), d.data(), kind);
    for (int i = 0; i < x.m; ++i) {
      for (int j = 0; j < x.n; ++j) {
        const float got = d[static_cast<size_t>(i * x.n + j)], expected = x.alone(i, j, how, kind.sum);
        ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected))
            << name << ", seed " << seed << ", m " << x.m << ", n " << x.n << ", row " << i << ", column " << j << ": "
            << got << " instead of " << expected;
      }
    }
  }
}

TEST(AlignedProduct, OfManyColumnsHasTheBitsOfEachAlone) {
  for (const Type sum : {Type::f32, Type::f16}) {
    for (const int k : {4, 8, 16}) expect_bits_of_each_alone({Type::f16, Type::f16, sum}, k);
    expect_bits_of_each_alone({Type::f16, Type::f16, sum, true}, 16);
    for (const Type a : {Type::e4m3, Type::e5m2}) {
      for (const Type b : {Type::e4m3, Type::e5m2}) {
        for (const int k : {16, 32}) expect_bits_of_each_alone({a, b, sum}, k);
        expect_bits_of_each_alone({a, b, sum, true}, 32);
      }
    }
  }
  for (const int k : {8, 16}) expect_bits_of_each_alone({Type::bf16, Type::bf16}, k);
  expect_bits_of_each_alone({Type::bf16, Type::bf16, Type::f32, true}, 16);
  for (const int k : {4, 8}) expect_bits_of_each_alone({Type::tf32, Type::tf32}, k);
  expect_bits_of_each_alone({Type::tf32, Type::tf32, Type::f32, true}, 8);
}

}  // namespace
}  // namespace parity::ptx
