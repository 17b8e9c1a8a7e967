// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/captures/stored_part.hpp"

#include <gtest/gtest.h>

#include "golden/files/activation_writer.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::replay {
namespace {

/// A tap of 2 x 3 x 4 elements 0, 1, 2, …, in a file.
class StoredPart : public ::testing::Test {
 protected:
  void SetUp() override {
    Tensor whole(DType::i64, {2, 3, 4}, "B,G,K");
    for (int64_t i = 0; i < whole.view().count(); ++i) whole.i64()[i] = i;
    auto writer = golden::ActivationWriter::create(folder / "taps.h5", {});
    writer.write("tap", whole.view(), {"B,G,K", "output", "input"});
    writer.commit();
  }

  /// Elements of the part whose ranges along each factor of `axes` are given.
  std::vector<int64_t> read(const Shape& extents, const std::vector<Ranges>& ranges, const Shape& shape) {
    TapInfo own{"B,G,K", shape, TapType::index};
    own.part = Part{"tap", "B,G,K", {2, 3, 4}, Box{extents, ranges}};
    const Tensor part = read_stored_part(golden::ActivationFile::open(folder / "taps.h5"), "tap", own);
    return {part.i64(), part.i64() + part.view().count()};
  }

  golden::TemporaryFolder folder;
};

TEST_F(StoredPart, HasTheElementsOfItsRanges) {
  EXPECT_EQ(read({2, 3, 4}, {{{1, 1}}, {{1, 2}}, {{2, 1}}}, {1, 2, 1}), (std::vector<int64_t>{18, 22}));
}

TEST_F(StoredPart, MayHaveSeveralRangesOfAnAxis) {
  EXPECT_EQ(read({2, 3, 4}, {{{0, 1}}, {{2, 1}}, {{1, 1}, {3, 1}}}, {1, 1, 2}), (std::vector<int64_t>{9, 11}));
}

TEST_F(StoredPart, OfAnAxisThatStandsForSeveralIsCutToo) {  // K = 2 x 2
  EXPECT_EQ(read({2, 3, 2, 2}, {{{1, 1}}, {{0, 1}}, {{1, 1}}, {{0, 2}}}, {1, 1, 2}), (std::vector<int64_t>{14, 15}));
}

}  // namespace
}  // namespace parity::replay
