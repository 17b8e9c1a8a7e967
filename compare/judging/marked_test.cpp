// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// An element that still holds the mark was never written; any other NaN was computed.
#include "compare/judging/marked.hpp"

#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "compare/testing/tap_values.hpp"
#include "core/poison.hpp"

namespace parity::compare {
namespace {

using tests::I;
using tests::Tap;

/// A bf16 output as a kernel left it: the mark where `unwritten`, else the tap's value.
template <class Unwritten>
Tensor left_by_kernel(Tap& tap, const Unwritten& unwritten) {
  Tensor stored(tap.dtype, tap.shape, tap.axes);
  fill_with(Poison::nan, stored);
  for (size_t i = 0; i < tap.got.size(); ++i) {
    std::byte* element = stored.view().data + static_cast<int64_t>(i) * size_of(tap.dtype);
    if (!unwritten(i)) store_element(tap.dtype, element, tap.got[i]);
    tap.got[i] = load_element(tap.dtype, element);
  }
  return stored;
}

std::string words_of(const Tap& tap, const Tensor& stored) {
  ValueQuery query;
  query.got = tap.got.data();
  query.rounded = tap.rounded.data();
  query.exact = tap.exact.data();
  query.allowed = tap.allowed.data();
  query.count = static_cast<int64_t>(tap.got.size());
  query.dtype = tap.dtype;
  query.axes = tap.axes;
  query.shape = tap.shape;
  query.sizes = tap.sizes;
  query.marked = &stored.view();
  const auto match = match_values(query);
  return match ? std::string(to_string(match->kind)) + ": " + match->detail : "";
}

constexpr size_t kMarkedRow = Tap::A * Tap::D;

TEST(Marked, ElementsThatHoldTheMarkWereNeverWritten) {
  for (const DType type : {DType::f32, DType::bf16, DType::f16}) {
    Tap tap(type);
    const Tensor stored = left_by_kernel(tap, [](size_t i) { return i % kMarkedRow >= 30; });

    EXPECT_EQ(words_of(tap, stored),
              "unwritten: 24 elements never written: head 3 (the last), channels 6..7 (to the end)");
  }
}

TEST(Marked, AnotherNaNWasComputed) {
  Tap tap(DType::bf16);
  tap.changed([](double x, I, I s, I, I) { return s == 2 ? std::numeric_limits<double>::quiet_NaN() : x; });
  const Tensor stored = left_by_kernel(tap, [](size_t) { return false; });

  EXPECT_EQ(words_of(tap, stored), "nan: 64 elements NaN, which the kernel computed: token 2");
}

TEST(Marked, BothAreToldApart) {
  Tap tap(DType::f32);
  tap.changed([](double x, I, I s, I, I) { return s == 2 ? std::numeric_limits<double>::quiet_NaN() : x; });
  const Tensor stored = left_by_kernel(tap, [](size_t i) { return i / kMarkedRow == 2; });

  EXPECT_EQ(words_of(tap, stored),
            "unwritten: 32 of 64 elements never written, the others NaN, which the kernel computed: token 2");
}

TEST(Marked, NaNThatIsExpectedIsNotCounted) {
  Tap tap(DType::f32);
  tap.exact[3] = tap.rounded[3] = tap.got[3] = std::numeric_limits<double>::quiet_NaN();
  tap.got[4] = std::numeric_limits<double>::quiet_NaN();
  const Tensor stored = left_by_kernel(tap, [](size_t i) { return i >= 10 && i < 15; });
  Values values;
  values.got = tap.got.data();
  values.exact = tap.exact.data();
  values.rounded = tap.rounded.data();
  values.count = static_cast<int64_t>(tap.got.size());

  const NotNumbers count = not_numbers_of(values, stored.view());

  EXPECT_EQ(count.never_written, 5);
  EXPECT_EQ(count.computed, 1);
}

}  // namespace
}  // namespace parity::compare
