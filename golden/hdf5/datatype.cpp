// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/hdf5/datatype.hpp"

#include <array>

namespace parity::golden::hdf5 {
namespace {

constexpr uint8_t kMostAxes = 16;  // goldens have up to 5
constexpr int kDeepestType = 8;    // nested types

enum class Class : uint8_t { fixed_point = 0, floating_point = 1, string = 3, enumeration = 8, variable_length = 9 };

struct FloatLayout {
  DType dtype;
  uint64_t exponent_at, exponent_bits, mantissa_bits, bias;
};
constexpr std::array<FloatLayout, 4> kFloats{{
    {DType::bf16, 7, 8, 7, 127},
    {DType::f32, 23, 8, 23, 127},
    {DType::f64, 52, 11, 52, 1023},
    {DType::f16, 10, 5, 10, 15},
}};

std::optional<DType> floating_point(Cursor cursor, uint64_t bits, int64_t size) {
  const uint64_t offset = cursor.u16();
  const uint64_t precision = cursor.u16();
  const uint64_t exponent_at = cursor.u8();
  const uint64_t exponent_bits = cursor.u8();
  const uint64_t mantissa_at = cursor.u8();
  const uint64_t mantissa_bits = cursor.u8();
  const uint64_t bias = cursor.u32();
  const uint64_t sign_at = (bits >> 8) & 0xFF;
  const bool hidden_bit = ((bits >> 4) & 0x03) == 2;
  const bool little_endian = (bits & 0x41) == 0;
  const auto width = static_cast<uint64_t>(size) * 8;
  if (!little_endian || !hidden_bit || offset != 0 || precision != width || mantissa_at != 0 || sign_at + 1 != width)
    return {};
  for (const FloatLayout& known : kFloats) {
    if (size_of(known.dtype) == size && known.exponent_at == exponent_at && known.exponent_bits == exponent_bits &&
        known.mantissa_bits == mantissa_bits && known.bias == bias) {
      return known.dtype;
    }
  }
  return {};
}

void fixed_point(Cursor cursor, uint64_t bits, StoredType& type) {
  const uint64_t offset = cursor.u16();
  const uint64_t precision = cursor.u16();
  const bool little_endian = (bits & 0x01) == 0;
  type.is_signed = (bits & 0x08) != 0;
  type.integer = little_endian && offset == 0 && type.size >= 1 && type.size <= 8 &&
                 precision == static_cast<uint64_t>(type.size) * 8;
  if (!type.integer) return;
  if (type.size == 8 && type.is_signed) type.dtype = DType::i64;
  if (type.size == 4 && type.is_signed) type.dtype = DType::i32;
  if (type.size == 1 && !type.is_signed) type.dtype = DType::u8;
}

StoredType parse(Cursor& cursor, int depth) {
  PARITY_CHECK(depth < kDeepestType, schema,
               "an HDF5 data type is nested more than {} levels deep; write plain numbers or text, or, if the file is "
               "damaged, copy it again",
               kDeepestType);
  StoredType type;
  const uint8_t tag = cursor.u8();
  const uint64_t bits = cursor.number(3);
  type.size = cursor.u32();
  PARITY_CHECK(type.size > 0, schema, "the element type has 0 bytes; the file is damaged, copy it again");
  switch (static_cast<Class>(tag & 0x0F)) {
    case Class::fixed_point:
      type.kind = StoredType::Kind::number;
      fixed_point(cursor, bits, type);
      break;
    case Class::floating_point:
      type.kind = StoredType::Kind::number;
      type.dtype = floating_point(cursor, bits, type.size);
      break;
    case Class::string:
      type.kind = StoredType::Kind::text;
      type.space_padded = (bits & 0x0F) == 2;
      break;
    case Class::enumeration:
      if (parse(cursor, depth + 1).size == 1 && type.size == 1) {  // how h5py stores numpy's bool
        type.kind = StoredType::Kind::number;
        type.dtype = DType::boolean;
      }
      break;
    case Class::variable_length:
      if ((bits & 0x0F) == 1 && type.size == 16) type.kind = StoredType::Kind::variable_text;
      break;
    default:
      break;
  }
  return type;
}

}  // namespace

StoredType parse_type(ByteSpan message) {
  Cursor cursor(message);
  return parse(cursor, 0);
}

std::optional<Shape> parse_shape(ByteSpan message) {
  Cursor cursor(message);
  const uint8_t version = cursor.u8();
  PARITY_CHECK(version == 1 || version == 2, schema,
               "an HDF5 dataspace (shape) has version {}; the file is damaged, copy it again", version);
  const uint8_t rank = cursor.u8();
  cursor.skip(1);  // flags: whether maximum extents follow
  const uint8_t kind = cursor.u8();
  if (version == 2 && kind == 2) return std::nullopt;
  if (version == 1) cursor.skip(4);
  PARITY_CHECK(rank <= kMostAxes, schema, "the shape has {} axes; at most {} are supported", rank, kMostAxes);
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    const uint64_t extent = cursor.u64();
    PARITY_CHECK(extent <= (uint64_t{1} << 62), schema,
                 "extent {} of axis {} is impossible; the file is damaged, copy it again", extent, axis);
    shape.push_back(static_cast<int64_t>(extent));
  }
  return shape;
}

std::string trim_text(ByteSpan bytes, bool space_padded) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  text = text.substr(0, text.find('\0'));
  if (space_padded) text = text.substr(0, text.find_last_not_of(' ') + 1);
  return std::string(text);
}

}  // namespace parity::golden::hdf5
