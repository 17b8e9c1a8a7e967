// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/attention/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "optimized/testing/levels.hpp"

namespace parity::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The operands of one call, and memory for its result.
template <class T>
struct Call {
  int64_t batch = 1, heads = 1, groups = 1, queries = 1, slots = 1, width = 1, block = 0;
  std::vector<T> q{}, k{}, v{}, out{};
  std::vector<int64_t> lists{};

  void draw(uint64_t seed) {
    const Random random(seed, "attention");
    uint64_t next = 0;
    for (auto* x : {&q, &k, &v}) {
      x->resize(static_cast<size_t>(batch * (x == &q ? heads * queries : groups * slots) * width));
      for (T& element : *x) put(element, random.normal(next++));
    }
  }
  /// Gives each query its own block, and each other block with probability 1/2.
  void draw_lists(uint64_t seed) {
    const Random random(seed, "lists");
    block = 16;
    const int64_t blocks = (slots + block - 1) / block;
    for (int64_t row = 0; row < batch * queries; ++row) {
      const int64_t own = (slots - queries + row % queries) / block;
      for (int64_t n = 0; n < blocks; ++n)
        lists.push_back(n == own || random.below(static_cast<uint64_t>(row * blocks + n), 2) == 1 ? n : -1);
    }
  }
  const std::vector<T>& run() {
    out.assign(q.size(), T{});
    AttentionOperands<T> x;
    x.q = {q.data(), {batch, heads, queries, width}, {heads * queries * width, queries * width, width, 1}};
    x.k = {k.data(), {batch, groups, slots, width}, {groups * slots * width, slots * width, width, 1}};
    x.v = {v.data(), x.k.extent, x.k.stride};
    x.out = {out.data(), {batch, queries, heads, width}, {queries * heads * width, heads * width, width, 1}};
    x.block_size = lists.empty() ? slots : block;
    x.query_slot = slots - queries;
    x.scale = 0.125;
    if (!lists.empty()) {
      const int64_t length = static_cast<int64_t>(lists.size()) / (batch * queries);
      x.lists = Span<int64_t, 3>{lists.data(), {batch, queries, length}, {queries * length, length, 1}};
    }
    PlaceWorkspace workspace;
    attend(x, workspace);
    return out;
  }
  static void put(T& element, double x) { store_element(kDTypeOf<T>, reinterpret_cast<std::byte*>(&element), x); }
  static double get(const T& element) {
    return load_element(kDTypeOf<T>, reinterpret_cast<const std::byte*>(&element));
  }
};

template <class T>
bool same_bits(const T* a, const T* b, size_t count) {
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

template <class T>
class Attention : public ::testing::Test {};
using Types = ::testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(Attention, Types);

/// A call with only the last query packs its chunks itself and leaves the other lanes of the vector unused.
TYPED_TEST(Attention, HasTheSameBitsForAQueryAlone) {
  for (const int64_t group :
       {1, 2, 3, 6, 16, -1, -16}) {  // negative: infinite values that all queries see, or only the last sees
    Call<TypeParam> call{1, 2 * std::abs(group), 2, 90, 301, 48};
    call.draw(3);
    for (const int64_t slot : {200, 300}) {
      if (group < 0) call.put(call.v[static_cast<size_t>(slot * call.width + 5)], kInfinity);
    }
    Call<TypeParam> last = call;
    last.queries = 1;
    last.q.clear();
    for (int64_t a = 0; a < call.heads; ++a) {
      const auto* row = call.q.data() + (a * call.queries + call.queries - 1) * call.width;
      last.q.insert(last.q.end(), row, row + call.width);
    }
    at_every_level([&] {
      const auto all = call.run();
      const auto one = last.run();
      EXPECT_TRUE(same_bits(all.data() + (all.size() - one.size()), one.data(), one.size())) << group << " heads";
    });
  }
}

constexpr int64_t kSets = 40;  // queries; as many channels tell the slots apart
using Set = std::vector<bool>;

/// Returns sets of 1, 2, 4 or 8 of the first 250 slots.
std::vector<Set> draw_sets(int64_t slots) {
  const Random random(5, "sets");
  uint64_t next = 0;
  std::vector<Set> sets(kSets, Set(static_cast<size_t>(slots)));
  for (size_t s = 0; s < sets.size(); ++s) {
    for (size_t count = size_t{1} << (s % 4); count > 0;) {
      const auto slot = random.below(next++, 250);
      count -= sets[s][slot] ? 0 : 1;
      sets[s][slot] = true;
    }
  }
  return sets;
}

/// Makes query s give equal weight to the slots of set s and none to other slots. Values are multiples of 8.
template <class T>
void show_sets(Call<T>& call, const std::vector<Set>& sets) {
  const Random random(6, "values");
  for (size_t i = 0; i < call.q.size(); ++i) {
    const auto d = i % kSets, s = i / kSets % kSets;
    call.put(call.q[i], d == s ? 64.0 : 0.0);
  }
  for (size_t i = 0; i < call.k.size(); ++i) {
    call.put(call.k[i], sets[i % kSets][i / kSets % static_cast<size_t>(call.slots)] ? 0.0 : -64.0);
    call.put(call.v[i], 8.0 * (static_cast<double>(random.below(i, 17)) - 8.0));
  }
}

/// Returns element (s, a, d) of the result, computed from integers.
template <class T>
double mean_of(const Call<T>& call, const Set& set, size_t group, size_t d) {
  double total = 0.0, count = 0.0;
  for (size_t j = 0; j < set.size(); ++j) {
    total += set[j] ? call.get(call.v[(group * set.size() + j) * kSets + d]) : 0.0;
    count += set[j] ? 1.0 : 0.0;
  }
  return total / count;
}

TYPED_TEST(Attention, IsTheIntegerMeanOfItsSet) {
  for (const bool sparse : {false, true}) {
    Call<TypeParam> call{1, 6, 2, kSets, 290, kSets};
    call.draw(4);
    const auto sets = draw_sets(call.slots);
    show_sets(call, sets);
    call.block = call.slots;
    if (sparse) call.lists.assign(kSets, 0);
    at_every_level([&] {
      const auto& out = call.run();
      for (size_t i = 0; i < out.size(); ++i) {
        const size_t d = i % kSets, a = i / kSets % 6, s = i / kSets / 6;
        ASSERT_EQ(call.get(out[i]), mean_of(call, sets[s], a / 3, d)) << s << " " << a << " " << d;
      }
    });
  }
}

/// Scores rise from slot to slot: less than what moves the softmax's reference, sometimes more, or more in every chunk.
TYPED_TEST(Attention, FollowsScoresThatRise) {
  for (const double rise : {0.005, 0.06, 4.0, -0.06}) {
    Call<TypeParam> call{1, 16, 1, 16, 700, 32};
    call.draw(7);
    for (size_t i = 0; i < call.q.size(); ++i)
      call.put(call.q[i], i % 32 == 0 ? 8.0 : 0.0);  // scores are k's channel 0
    for (size_t j = 0; j < 700; ++j) call.put(call.k[j * 32], rise * static_cast<double>(j));
    at_every_level([&] {
      const auto& out = call.run();
      for (const size_t s : {size_t{0}, size_t{15}}) {
        const size_t seen = 700 - 15 + s;
        double total = 0.0, mixed = 0.0;
        for (size_t j = 0; j < seen; ++j) {
          const double weight =
              std::exp(call.get(call.k[j * 32]) - (rise > 0 ? rise * static_cast<double>(seen) : 0.0));
          total += weight;
          mixed += weight * call.get(call.v[j * 32 + 3]);
        }
        EXPECT_NEAR(call.get(out[s * 16 * 32 + 3]), mixed / total, sizeof(TypeParam) == 2 ? 0.02 : 1e-5) << rise;
      }
    });
  }
}

/// Lists that name every visible block give dense attention, in any order and with repeats; shorter lists do not.
TYPED_TEST(Attention, OfCompleteListsIsDense) {
  Call<TypeParam> dense{2, 6, 2, 40, 600, 32};
  dense.draw(8);
  Call<TypeParam> listed = dense;
  listed.block = 128;
  for (int64_t row = 0; row < 2 * 40; ++row) listed.lists.insert(listed.lists.end(), {4, 2, 0, 3, -1, 1, 2});
  Call<TypeParam> fewer = listed;
  fewer.lists[2] = -1;  // removes block 0 from the first query's list
  at_every_level([&] {
    const auto all = dense.run();
    EXPECT_TRUE(same_bits(listed.run().data(), all.data(), all.size()));
    EXPECT_FALSE(same_bits(fewer.run().data(), all.data(), 6 * 32));
  });
}

/// An infinite or NaN value changes only the queries that see its slot.
TYPED_TEST(Attention, TakesNothingFromHiddenValues) {
  Call<TypeParam> call{1, 3, 1, 40, 170, 33};
  call.draw(6);
  Call<TypeParam> spoilt = call;
  spoilt.put(spoilt.v[150 * 33 + 5], kInfinity);
  spoilt.put(spoilt.k[150 * 33 + 7], std::nan(""));
  at_every_level([&] {
    const auto plain = call.run();
    const auto& out = spoilt.run();
    const int64_t first = 150 - 130;  // row of the query in slot 150
    for (int64_t row = 0; row < 40; ++row) {
      for (int64_t i = row * 99; i < (row + 1) * 99; ++i) {
        const double got = call.get(out[static_cast<size_t>(i)]), want = call.get(plain[static_cast<size_t>(i)]);
        if (row >= first) {
          ASSERT_TRUE(std::isnan(got)) << row;
        } else {
          ASSERT_NEAR(got, want, sizeof(TypeParam) == 2 ? 0.02 : 1e-5) << row;
        }
      }
    }
  });
}

}  // namespace
}  // namespace parity::cpu
