// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/tensor_map.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kTensorMapMark = 0x3150414D54585450;  // "PTXTMAP1"

/// Little-endian numbers one after the other, in the order of for_each_field.
class FieldWriter {
 public:
  explicit FieldWriter(TensorMapBytes& bytes) : bytes_(bytes) {}
  void operator()(const uint64_t& x, size_t width) {
    for (size_t i = 0; i < width; ++i) bytes_[at_++] = static_cast<std::byte>(x >> (8 * i));
  }

 private:
  TensorMapBytes& bytes_;
  size_t at_ = 0;
};

class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte, 128> bytes) : bytes_(bytes) {}
  void operator()(uint64_t& x, size_t width) {
    x = 0;
    for (size_t i = 0; i < width; ++i) x |= static_cast<uint64_t>(bytes_[at_++]) << (8 * i);
  }
  [[nodiscard]] bool rest_is_zero() const {
    return std::all_of(bytes_.begin() + static_cast<ptrdiff_t>(at_), bytes_.end(),
                       [](std::byte b) { return b == std::byte{0}; });
  }

 private:
  std::span<const std::byte, 128> bytes_;
  size_t at_ = 0;
};

/// field(number, bytes) for each part of the encoding: one list for writing and reading.
template <class Field>
void for_each_field(TensorMap& map, uint64_t& mark, Field& field) {
  const auto number = [&](auto& member, size_t width) {
    auto x = static_cast<uint64_t>(member);
    field(x, width);
    member = static_cast<std::remove_reference_t<decltype(member)>>(x);
  };
  field(mark, 8);
  number(map.element, 1);
  number(map.rank, 1);
  number(map.swizzle, 1);
  number(map.fill_with_nan, 1);
  number(map.address, 8);
  for (uint64_t& size : map.size) number(size, 8);
  for (uint64_t& stride : map.stride) number(stride, 8);
  for (uint32_t& box : map.box) number(box, 2);
  for (uint32_t& step : map.step) number(step, 1);
}

}  // namespace

TensorMapBytes encode_tensor_map(const TensorMap& map) {
  check_tensor_map(map);
  TensorMap fields = map;
  for (size_t i = static_cast<size_t>(map.rank); i < kMostDimensions; ++i) {  // what no dimension uses may be anything
    fields.size[i] = fields.stride[i - 1] = 0;
    fields.box[i] = 0;
    fields.step[i] = 1;
  }
  fields.step[0] = 1;
  TensorMapBytes bytes{};
  uint64_t mark = kTensorMapMark;
  FieldWriter writer(bytes);
  for_each_field(fields, mark, writer);
  return bytes;
}

TensorMap decode_tensor_map(std::span<const std::byte, 128> bytes) {
  TensorMap map;
  uint64_t mark = 0;
  FieldReader reader(bytes);
  for_each_field(map, mark, reader);
  PARITY_CHECK(
      mark == kTensorMapMark && reader.rest_is_zero(), schema,
      "these 128 bytes are no tensor map of this harness; encode it with encode_tensor_map, not with the driver");
  check_tensor_map(map);
  return map;
}

}  // namespace parity::ptx
