// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Patterns planted in random masks. The description must name the pattern and be true of the mask.
#include "compare/values/region.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
using Kind = Positions::Kind;
using Index = std::vector<int64_t>;

const std::string kAxes = "B,S,AD";
const Shape kShape{2, 96, 256};
const AxisSizes kSizes{{'B', 2}, {'S', 96}, {'A', 8}, {'D', 32}};

/// Returns a mask that is true for the elements (b, s, c) for which `failing` is true.
std::vector<bool> mask_of(const std::function<bool(int64_t, int64_t, int64_t)>& failing, const Shape& shape = kShape) {
  std::vector<bool> mask;
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t s = 0; s < shape[1]; ++s) {
      for (int64_t c = 0; c < shape[2]; ++c) mask.push_back(failing(b, s, c));
    }
  }
  return mask;
}

std::string words(const std::vector<bool>& mask, const AxisSizes& sizes = kSizes) {
  return region_of(groupings_of(kAxes, kShape, sizes), mask).text();
}

/// Whether the described set includes `at`, computed only from the public fields.
bool holds(const Positions& p, int64_t at) {
  if (p.kind == Kind::every) return true;
  if (p.kind == Kind::one) return at == p.first;
  if (at < p.first || at > p.last) return false;
  if (p.kind == Kind::range || p.kind == Kind::loose) return true;
  if (p.kind == Kind::periodic) {
    for (int64_t start = p.first; start <= at; start += p.period) {
      if (at < start + p.width) return true;
    }
    return false;
  }
  for (const auto& [from, to] : p.runs) {
    if (from <= at && at <= to) return true;
  }
  return false;
}

/// Checks each statement of the region against the mask: no failure outside, correct counts, no smaller axis set.
void expect_true(const Region& region, const std::vector<bool>& mask) {
  std::vector<std::vector<bool>> hit;
  for (const Positions& part : region.parts) hit.emplace_back(static_cast<size_t>(part.extent), false);
  int64_t failed = 0, inside = 0;
  for (size_t i = 0; i < mask.size(); ++i) {
    Index at(region.parts.size());
    auto rest = static_cast<int64_t>(i);
    for (size_t axis = at.size(); axis-- > 0; rest /= region.parts[axis].extent)
      at[axis] = rest % region.parts[axis].extent;
    bool within = true;
    for (size_t axis = 0; axis < at.size(); ++axis) within = within && holds(region.parts[axis], at[axis]);
    inside += within ? 1 : 0;
    if (!mask[i]) continue;
    ++failed;
    ASSERT_TRUE(within) << "failure " << i << " outside: " << region.text();
    for (size_t axis = 0; axis < at.size(); ++axis) hit[axis][static_cast<size_t>(at[axis])] = true;
  }
  EXPECT_EQ(region.failed, failed);
  EXPECT_EQ(region.size(), inside) << region.text();
  for (size_t axis = 0; axis < hit.size(); ++axis) {
    const Positions& part = region.parts[axis];
    EXPECT_EQ(part.count, std::count(hit[axis].begin(), hit[axis].end(), true)) << region.text();
    if (!part.telling()) continue;
    EXPECT_TRUE(hit[axis][static_cast<size_t>(part.last)]) << region.text();
    const bool exact = part.kind == Kind::one || part.kind == Kind::range || part.kind == Kind::runs;
    if (exact) {
      EXPECT_EQ(part.size(), part.count) << region.text();
    }
  }
}

struct Plant {
  std::string words;
  std::function<bool(int64_t, int64_t, int64_t)> failing;
};

std::vector<Plant> plants() {
  return {
      {"token 11", [](auto, auto s, auto) { return s == 11; }},
      {"token 95 (the last)", [](auto, auto s, auto) { return s == 95; }},
      {"head 3", [](auto, auto, auto c) { return c / 32 == 3; }},
      {"head 7 (the last), channels 16..31 (the second half)", [](auto, auto, auto c) { return c >= 240; }},
      {"even heads", [](auto, auto, auto c) { return c / 32 % 2 == 0; }},
      {"odd heads", [](auto, auto, auto c) { return c / 32 % 2 == 1; }},
      {"sequence 1, token 4, head 2", [](auto b, auto s, auto c) { return b == 1 && s == 4 && c / 32 == 2; }},
      {"tokens 64..95 (an aligned tile of 32)", [](auto, auto s, auto) { return s >= 64; }},
      {"tokens 17..95 (to the end)", [](auto, auto s, auto) { return s >= 17; }},
      {"tokens 48..95 (the second half)", [](auto, auto s, auto) { return s >= 48; }},
      {"tokens 88..95 (an aligned tile of 8)", [](auto, auto s, auto) { return s >= 88; }},
      {"every 16th token", [](auto, auto s, auto) { return s % 16 == 0; }},
      {"every 3rd token from 2 on", [](auto, auto s, auto) { return s % 3 == 2; }},
      {"tokens 4..7 of every 16", [](auto, auto s, auto) { return s % 16 / 4 == 1; }},
      {"every 16th token of 32..80", [](auto, auto s, auto) { return s % 16 == 0 && s >= 32 && s < 90; }},
      {"even channels", [](auto, auto, auto c) { return c % 2 == 0; }},
      {"channels 16..31 (the second half)", [](auto, auto, auto c) { return c % 32 >= 16; }},
      {"channel 31 (the last)", [](auto, auto, auto c) { return c % 32 == 31; }},
      {"tokens 64..79 (an aligned tile of 16), heads 4..5",
       [](auto, auto s, auto c) { return s / 16 == 4 && c >= 128 && c < 192; }},
      {"tokens 3 + 17..18, head 0", [](auto, auto s, auto c) { return (s == 3 || s == 17 || s == 18) && c < 32; }},
      {"rows 90..127", [](auto b, auto s, auto) { return b * 96 + s >= 90 && b * 96 + s < 128; }},
  };
}

TEST(Region, NamesThePlantedPattern) {
  for (const Plant& plant : plants()) {
    const auto mask = mask_of(plant.failing);

    EXPECT_THAT(words(mask), HasSubstr("of " + plant.words)) << plant.words;
    expect_true(region_of(groupings_of(kAxes, kShape, kSizes), mask), mask);
  }
}

TEST(Region, NamesThePlantedPatternThroughHoles) {
  const Random random(5, "holes");
  for (const Plant& plant : plants()) {
    uint64_t at = 0;
    const auto mask =
        mask_of([&](int64_t b, int64_t s, int64_t c) { return plant.failing(b, s, c) && random.below(at++, 10) >= 2; });
    const Region region = region_of(groupings_of(kAxes, kShape, kSizes), mask);

    EXPECT_THAT(region.text(), HasSubstr(plant.words));
    expect_true(region, mask);
  }
}

TEST(Region, OfRandomProductsIsTrueAndTight) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Random random(seed, "products");
    const Shape shape{1 + static_cast<int64_t>(random.below(0, 3)), 1 + static_cast<int64_t>(random.below(1, 40)),
                      8 * (1 + static_cast<int64_t>(random.below(2, 4)))};
    std::vector<std::pair<int64_t, int64_t>> choice;  // period and offset, or one stretch
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto period = 1 + static_cast<int64_t>(random.below(10 + axis, 5));
      choice.emplace_back(period, static_cast<int64_t>(random.below(20 + axis, 5)) % std::min(period, shape[axis]));
    }
    uint64_t at = 100;
    const uint64_t holes = random.below(30, 3);  // share of holes: none, a few, most
    const auto mask = mask_of(
        [&](int64_t b, int64_t s, int64_t c) {
          const Index index{b, s, c};
          bool in = true;
          for (size_t axis = 0; axis < 3; ++axis) in = in && index[axis] % choice[axis].first == choice[axis].second;
          return in && random.below(at++, 10) >= 4 * holes;
        },
        shape);
    const Region region = region_of(groupings_of("B,S,H", shape, {}), mask);
    if (region.failed == 0) continue;

    SCOPED_TRACE(seed);
    expect_true(region, mask);
    int64_t planted = 1;
    for (size_t axis = 0; axis < 3; ++axis)
      planted *= (shape[axis] - choice[axis].second + choice[axis].first - 1) / choice[axis].first;
    if (holes == 0) {
      EXPECT_LE(region.size(), 4 * planted) << region.text();
    }
  }
}

TEST(Region, OfChanceIsScattered) {
  for (const uint64_t one_in : {10, 1000, 5000}) {
    const Random random(one_in, "chance");
    uint64_t at = 0;
    const auto mask = mask_of([&](int64_t, int64_t, int64_t) { return random.below(at++, one_in) == 0; });
    const Region region = region_of(groupings_of(kAxes, kShape, kSizes), mask);

    EXPECT_TRUE(region.scattered()) << region.text();
    EXPECT_THAT(region.text(), HasSubstr("scattered"));
    expect_true(region, mask);
  }
}

TEST(Region, OfATailThatCrossesRowsIsOfElements) {
  const auto mask = mask_of([](auto b, auto s, auto c) { return (b * 96 + s) * 256 + c >= 2 * 96 * 256 - 300; });

  EXPECT_EQ(words(mask), "all 300 of elements 48852..49151 (to the end)");
}

TEST(Region, TailsSayBehindWhichMultiple) {
  std::vector<bool> hit(53, false);
  for (size_t p = 48; p < 53; ++p) hit[p] = true;

  EXPECT_EQ(positions_of("channel", hit).text(), "channels 48..52 (the incomplete last tile of 16)");
}

TEST(Region, TakesAxesApartOnlyWhereSizesSaySo) {
  const auto mask = mask_of([](auto, auto, auto c) { return c / 32 == 3; });

  EXPECT_EQ(words(mask), "all 6144 of head 3");
  EXPECT_EQ(words(mask, {}), "all 6144 of columns 96..127 (an aligned tile of 32)");
}

TEST(Region, OfOneElementOrAllIsSaidSo) {
  EXPECT_EQ(words(mask_of([](auto b, auto s, auto c) { return b == 0 && s == 5 && c == 70; })),
            "the one in sequence 0, token 5, head 2, channel 6");
  EXPECT_EQ(words(mask_of([](auto, auto, auto) { return true; })), "all 49152 elements");
}

}  // namespace
}  // namespace parity::compare
