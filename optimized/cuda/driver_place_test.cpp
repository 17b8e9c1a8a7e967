// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Without a GPU the backend cuda says why; with one its memory keeps what is written.
#include "optimized/cuda/driver_place.hpp"

#include <array>

#include <gmock/gmock.h>

#include "optimized/backends.hpp"
#include "optimized/cuda/modules.hpp"

namespace parity::optimized::cuda {
namespace {

TEST(DriverPlace, SaysWhatToDoWithoutADriver) {
  if (has_driver()) GTEST_SKIP() << "an NVIDIA driver is there";
  try {
    static_cast<void>(driver_place(0));
    FAIL() << "a place without a driver";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("use cuda-host"));
  }
  EXPECT_THAT(find_backend("cuda")->version(), ::testing::HasSubstr(has_modules() ? "driver" : "ci/setup.sh cuda"));
}

TEST(DriverPlace, HoldsWhatIsWrittenFilledAndCleared) {
  if (!has_driver()) GTEST_SKIP() << "no GPU";
  DriverPlace& place = driver_place(0);
  const std::array given{std::byte{1}, std::byte{2}};
  std::array<std::byte, 5> found{};
  const auto memory = place.allocate(5, Place::kAlignment);

  place.fill(memory.get(), 5, given);
  place.clear(memory.get() + 1, 2);
  place.write(memory.get() + 3, given.data(), 2);
  place.read(found.data(), memory.get(), 5);

  EXPECT_EQ(found, (std::array{given[0], std::byte{0}, std::byte{0}, given[0], given[1]}));
}

}  // namespace
}  // namespace parity::optimized::cuda
