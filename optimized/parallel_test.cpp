// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/parallel.hpp"

#include <new>

#include <gtest/gtest.h>

namespace parity::cpu {
namespace {

TEST(InPieces, PassesOnWhatAPieceThrows) {
  const auto work = [](int64_t first, int64_t) {
    if (first == 30) throw std::bad_alloc();
  };

  EXPECT_THROW(in_pieces(100, 10, work), std::bad_alloc) << "it would end the program and all results with it";
}

}  // namespace
}  // namespace parity::cpu
