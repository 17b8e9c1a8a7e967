// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/sources/blocks.hpp"

#include <gtest/gtest.h>

namespace parity::golden {
namespace {

TEST(Blocks, FollowEachOtherAndAreBounded) {
  for (const Shape& shape : std::vector<Shape>{{7}, {1, 100}, {3, 5, 4}, {2, 1, 9, 2}, {}}) {
    for (const int64_t most : {1, 8, 64, 1000, 100000}) {
      int64_t expected = 0;
      for (Blocks block(shape, 8, most); !block.done(); block.advance()) {
        EXPECT_EQ(block.first(), expected);
        EXPECT_LE(element_count(block.extents()) * 8, std::max<int64_t>(most, 8)) << "however long a row is";
        int64_t flat = 0;
        for (size_t axis = 0; axis < shape.size(); ++axis) flat = flat * shape[axis] + block.start()[axis];
        EXPECT_EQ(block.first(), flat);
        expected += element_count(block.extents());
      }
      EXPECT_EQ(expected, element_count(shape));
    }
  }
}

TEST(Blocks, AreNoneOfNothing) { EXPECT_TRUE(Blocks({3, 0, 2}, 4, 100).done()); }

}  // namespace
}  // namespace parity::golden
