// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/support.hpp"

#include <atomic>
#include <new>

#include <gtest/gtest.h>

namespace parity::reference {
namespace {

constexpr int64_t kWork = 1 << 20;  // elements; enough for several threads

TEST(ForEachRow, PassesOnWhatABodyThrows) {
  const auto body = [](int64_t n) {
    if (n % 7 == 3) throw std::bad_alloc();
  };

  EXPECT_THROW(for_each_row(64, kWork, body), std::bad_alloc) << "it would end the program and all results with it";
}

TEST(ForEachRow, VisitsEveryRowOnce) {
  std::atomic<int64_t> sum = 0;

  for_each_row(64, kWork, [&](int64_t n) { sum += n; });

  EXPECT_EQ(sum, 64 * 63 / 2);
}

}  // namespace
}  // namespace parity::reference
