// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tensor maps: the rules of cuTensorMapEncodeTiled one by one, and boxes against element-by-element loops.
#include "optimized/ptx/matrix/tensor_map.hpp"

#include <functional>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "optimized/ptx/matrix/tensor_box.hpp"

namespace parity::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// 10 rows of 100 f16, 208 bytes apart; boxes of 4 rows of 64.
TensorMap matrix() {
  TensorMap map;
  map.rank = 2;
  map.address = 0x10000;
  map.size = {100, 10};
  map.stride = {208};
  map.box = {64, 4};
  return map;
}

TEST(TensorMaps, AreReadAsTheyWereWritten) {
  TensorMap map = matrix();
  map.rank = 5;
  map.size = {100, 10, 7, uint64_t{1} << 32, 3};
  map.stride = {208, 2080, 16, (uint64_t{1} << 40) - 16};
  map.box = {64, 4, 1, 2, 256};
  map.step = {1, 8, 1, 2, 1};
  map.swizzle = Swizzle::b128;
  map.fill_with_nan = true;

  EXPECT_EQ(decode_tensor_map(encode_tensor_map(map)), map);
  EXPECT_EQ(decode_tensor_map(encode_tensor_map(matrix())).size[1], 10U);
}

TEST(TensorMaps, OfOtherEncodersAreRefused) {
  TensorMapBytes bytes = encode_tensor_map(matrix());
  bytes[127] = std::byte{1};
  EXPECT_THROW(static_cast<void>(decode_tensor_map(bytes)), Error);
  EXPECT_THROW(static_cast<void>(decode_tensor_map(TensorMapBytes{})), Error);
}

std::string refusal_with(const std::function<void(TensorMap&)>& change) {
  TensorMap map = matrix();
  change(map);
  try {
    check_tensor_map(map);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TensorMaps, ThatBreakARuleAreRefusedWithTheArgument) {
  EXPECT_EQ(refusal_with([](TensorMap&) {}), "no error");
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.mode = TensorMode::im2col; }), HasSubstr("im2col"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.interleave = TensorInterleave::b16; }), HasSubstr("interleaved"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.element = TensorElement::u4_align8; }), HasSubstr("packed"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.element = TensorElement::tf32; }), HasSubstr("convert"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.rank = 6; }), HasSubstr("tensorRank is 6"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.address = 8; }), HasSubstr("globalAddress 0x8"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.size[1] = 0; }), HasSubstr("globalDim[1] is 0"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.size[0] = (uint64_t{1} << 32) + 1; }), HasSubstr("globalDim[0]"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.stride[0] = 200; }), HasSubstr("globalStrides[0] is 200"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.stride[0] = uint64_t{1} << 40; }), HasSubstr("less than 2^40"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.box[1] = 257; }), HasSubstr("boxDim[1] is 257"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.box[0] = 60; }), HasSubstr("120 bytes; it must be a multiple of 16"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.step[1] = 9; }), HasSubstr("elementStrides[1] is 9"));
  EXPECT_THAT(refusal_with([](TensorMap& m) { m.swizzle = Swizzle::b64; }), HasSubstr("at most 64"));
  EXPECT_THAT(refusal_with([](TensorMap& m) {
                m.element = TensorElement::s32;
                m.fill_with_nan = true;
              }),
              HasSubstr("floating-point"));
}

TEST(TensorBoxes, OfPlainRowsAreRowsCutWhereTheTensorEnds) {
  const std::vector<int32_t> at{80, 8};

  EXPECT_THAT(box_runs(matrix(), at, 0x400),
              ElementsAre(BoxRun{true, 0x10000 + 8 * 208 + 160, 0x400, 40}, BoxRun{false, 0, 0x400 + 40, 88},
                          BoxRun{true, 0x10000 + 9 * 208 + 160, 0x480, 40}, BoxRun{false, 0, 0x480 + 40, 88},
                          BoxRun{false, 0, 0x500, 128}, BoxRun{false, 0, 0x580, 128}));
  EXPECT_EQ(box_bytes(matrix()), 512U);
}

TEST(TensorBoxes, MayBeginBeforeTheTensorOrMissIt) {
  const std::vector<int32_t> before{-4, -3}, far{1000, 0};
  const auto runs = box_runs(matrix(), before, 0);
  EXPECT_EQ(runs[2], (BoxRun{false, 0, 256, 128}));
  EXPECT_EQ(runs[3], (BoxRun{false, 0, 384, 8}));
  EXPECT_EQ(runs[4], (BoxRun{true, 0x10000, 392, 120}));
  for (const BoxRun& run : box_runs(matrix(), far, 0)) EXPECT_FALSE(run.inside);
}

/// Shared address of each byte -> global address, 0 where it is filled; expects that no byte comes twice.
std::map<uint32_t, uint64_t> bytes_of(const std::vector<BoxRun>& runs) {
  std::map<uint32_t, uint64_t> result;
  for (const BoxRun& run : runs) {
    for (uint32_t i = 0; i < run.bytes; ++i) {
      EXPECT_TRUE(result.emplace(run.shared + i, run.inside ? run.global + i : 0).second);
    }
  }
  return result;
}

TEST(TensorBoxes, WithASwizzlePutEachElementWhereTheTablesSay) {
  for (const auto& [swizzle, atom, lines] :
       {std::tuple{Swizzle::b128, 16U, 8U}, std::tuple{Swizzle::b128_atom32, 32U, 4U},
        std::tuple{Swizzle::b128_atom64, 64U, 2U}}) {
    TensorMap map = matrix();
    map.box = {64, 9};
    map.swizzle = swizzle;
    const std::vector<int32_t> at{50, 3};
    const auto bytes = bytes_of(box_runs(map, at, 2048));
    ASSERT_EQ(bytes.size(), 9U * 128);
    for (uint32_t row = 0; row < 9; ++row) {
      for (uint32_t column = 0; column < 64; ++column) {
        const uint32_t chunk = column * 2 / atom, within = column * 2 % atom;
        const uint32_t shared = 2048 + 128 * row + (chunk ^ row % lines) * atom + within;
        const bool inside = 3 + row < 10 && 50 + column < 100;
        ASSERT_EQ(bytes.at(shared), inside ? 0x10000 + (3 + row) * 208 + (50 + column) * 2 : 0U);
      }
    }
  }
}

TEST(TensorBoxes, OfFiveDimensionsVisitEveryStepthElement) {
  TensorMap map;
  map.element = TensorElement::f32;
  map.rank = 5;
  map.address = 1 << 20;
  map.size = {6, 5, 4, 3, 2};
  map.stride = {32, 160, 640, 1920};
  map.box = {4, 5, 2, 3, 2};
  map.step = {1, 2, 1, 2, 1};
  const std::vector<int32_t> at{1, 1, 3, 0, 1};
  const auto bytes = bytes_of(box_runs(map, at, 128));
  uint32_t shared = 128;
  for (uint64_t e = 1; e < 3; ++e) {
    for (uint64_t d = 0; d < 3; d += 2) {
      for (uint64_t c = 3; c < 5; ++c) {
        for (uint64_t b = 1; b < 6; b += 2) {
          for (uint64_t a = 1; a < 5; ++a, shared += 4) {
            const bool inside = a < 6 && b < 5 && c < 4 && d < 3 && e < 2;
            ASSERT_EQ(bytes.at(shared), inside ? (1U << 20) + 4 * a + 32 * b + 160 * c + 640 * d + 1920 * e : 0);
          }
        }
      }
    }
  }
  EXPECT_EQ(box_bytes(map), shared - 128);
}

TEST(TensorBoxes, FillWithZeroOrNaN) {
  TensorMap map = matrix();
  EXPECT_EQ(fill_code(map), 0U);
  map.fill_with_nan = true;
  EXPECT_EQ(fill_code(map), 0x7FFFU);
}

TEST(TensorBoxes, WhoseBytesHaveNoKnownPlaceAreRefused) {
  const std::vector<int32_t> at{0, 0}, short_at{0};
  TensorMap map = matrix();
  EXPECT_THROW(static_cast<void>(box_runs(map, short_at, 0)), Error);
  EXPECT_THROW(static_cast<void>(box_runs(map, at, 64)), Error);
  map.box = {256, 256, 256, 256, 256};
  map.rank = 5;
  EXPECT_THROW(static_cast<void>(box_runs(map, std::vector<int32_t>(5), 0)), Error);
  map = matrix();
  map.swizzle = Swizzle::b128;
  EXPECT_THROW(static_cast<void>(box_runs(map, at, 128)), Error);
  EXPECT_NO_THROW(static_cast<void>(box_runs(map, at, 1024)));
  map.box[0] = 32;
  EXPECT_THROW(static_cast<void>(box_runs(map, at, 1024)), Error);
}

}  // namespace
}  // namespace parity::ptx
