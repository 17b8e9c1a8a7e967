// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The rules of cuTensorMapEncodeTiled, in the order of its arguments.
#include "core/error.hpp"
#include "optimized/ptx/matrix/tensor_map.hpp"

namespace parity::ptx {
namespace {

bool is_floating(TensorElement element) { return element >= TensorElement::f16 && element <= TensorElement::tf32_ftz; }

void check_kind(const TensorMap& map) {
  PARITY_CHECK(map.mode == TensorMode::tiled, unsupported,
               "tensor maps of im2col mode are not supported; describe the tensor in tiled mode");
  PARITY_CHECK(map.interleave == TensorInterleave::none, unsupported,
               "tensor maps with interleaved layouts are not supported; use CU_TENSOR_MAP_INTERLEAVE_NONE");
  PARITY_CHECK(map.element <= TensorElement::u6_align16, usage,
               "tensorDataType {} does not exist; use one of CUtensorMapDataType", static_cast<int>(map.element));
  PARITY_CHECK(map.element < TensorElement::u4_align8, unsupported,
               "tensor maps of packed 4- and 6-bit elements are not supported; use UINT8 of twice the packed bytes");
  PARITY_CHECK(map.element < TensorElement::f32_ftz, unsupported,
               "tensor maps that convert while they copy (FLOAT32_FTZ, TFLOAT32) are not supported; use FLOAT32");
  PARITY_CHECK(map.rank >= 1 && map.rank <= kMostDimensions, usage, "tensorRank is {}; it must be 1 to 5", map.rank);
  PARITY_CHECK(map.address % 16 == 0, usage, "globalAddress {:#x} is not a multiple of 16; align the tensor",
               map.address);
}

void check_dimension(const TensorMap& map, size_t i) {
  PARITY_CHECK(map.size[i] >= 1 && map.size[i] <= uint64_t{1} << 32, usage, "globalDim[{}] is {}; it must be 1 to 2^32",
               i, map.size[i]);
  PARITY_CHECK(map.box[i] >= 1 && map.box[i] <= 256, usage, "boxDim[{}] is {}; it must be 1 to 256", i, map.box[i]);
  if (i == 0) return;
  PARITY_CHECK(map.stride[i - 1] % 16 == 0, usage, "globalStrides[{}] is {} bytes; it must be a multiple of 16", i - 1,
               map.stride[i - 1]);
  PARITY_CHECK(map.stride[i - 1] < uint64_t{1} << 40, usage, "globalStrides[{}] is {} bytes; it must be less than 2^40",
               i - 1, map.stride[i - 1]);
  PARITY_CHECK(map.step[i] >= 1 && map.step[i] <= 8, usage, "elementStrides[{}] is {}; it must be 1 to 8", i,
               map.step[i]);
}

}  // namespace

uint32_t element_bytes(TensorElement element) {
  switch (element) {
    case TensorElement::u8:
      return 1;
    case TensorElement::u16:
    case TensorElement::f16:
    case TensorElement::bf16:
      return 2;
    case TensorElement::u64:
    case TensorElement::s64:
    case TensorElement::f64:
      return 8;
    case TensorElement::u32:
    case TensorElement::s32:
    case TensorElement::f32:
    case TensorElement::f32_ftz:
    case TensorElement::tf32:
    case TensorElement::tf32_ftz:
      return 4;
    default:
      throw Error(ErrorCode::unsupported, "packed 4- and 6-bit elements of tensor maps have no whole bytes; use UINT8");
  }
}

void check_tensor_map(const TensorMap& map) {
  check_kind(map);
  for (size_t i = 0; i < static_cast<size_t>(map.rank); ++i) check_dimension(map, i);
  const uint32_t inner = map.box[0] * element_bytes(map.element);
  PARITY_CHECK(inner % 16 == 0, usage, "the box's inner dimension has {} bytes; it must be a multiple of 16", inner);
  PARITY_CHECK(map.swizzle <= Swizzle::b128_atom64, unsupported,
               "swizzle {} is not supported; use none, 32B, 64B, 128B, 128B_ATOM_32B or 128B_ATOM_64B",
               static_cast<int>(map.swizzle));
  const uint32_t span = span_of(map.swizzle);
  PARITY_CHECK(span == 0 || inner <= span, usage,
               "the box's inner dimension has {} bytes; with this swizzle at most {}", inner, span);
  PARITY_CHECK(!map.fill_with_nan || is_floating(map.element), usage,
               "oobFill with NaN needs a floating-point tensorDataType; use FLOAT_OOB_FILL_NONE");
}

}  // namespace parity::ptx
