// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/slot_alignment.hpp"

#include <gtest/gtest.h>

namespace parity::compare {
namespace {

Tensor ids_of(const std::vector<int64_t>& ids, int64_t slots) {
  Tensor tensor(DType::i64, {static_cast<int64_t>(ids.size()) / slots, slots}, "N,T");
  std::copy(ids.begin(), ids.end(), tensor.i64());
  return tensor;
}

std::vector<int64_t> sorted(const std::vector<int64_t>& ids, int64_t slots) {
  const Tensor result = sorted_slots(ids_of(ids, slots));
  return {result.i64(), result.i64() + result.view().count()};
}

TEST(SortedSlots, MakeEqualSetsEqual) { EXPECT_EQ(sorted({6, 2, 4}, 3), sorted({2, 4, 6}, 3)); }

TEST(SortedSlots, KeepTheIdsOfATokenApartFromThoseOfOthers) {
  EXPECT_EQ(sorted({5, 1, 0, 7}, 2), (std::vector<int64_t>{1, 5, 0, 7}));
  EXPECT_NE(sorted({5, 1, 0, 7}, 2), sorted({5, 0, 1, 7}, 2));
}

TEST(SortedSlots, KeepARepeatedId) { EXPECT_NE(sorted({3, 3, 4}, 3), sorted({3, 4, 4}, 3)); }

}  // namespace
}  // namespace parity::compare
