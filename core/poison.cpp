// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/poison.hpp"

#include <cstring>

#include "core/place.hpp"

namespace parity {

uint64_t poison_bits(Poison poison, DType dtype) {
  if (poison == Poison::nan) return dtype == DType::i64 ? 0x8000'0000'0000'0000U : ~uint64_t{0};
  const bool first = poison == Poison::first;
  switch (dtype) {
    case DType::f64:
      return first ? 0x7FF8'0BAD'0BAD'0BADU : 0x40C8'1C80'0BAD'0BADU;
    case DType::f32:
      return first ? 0x7FA0'0BADU : 0x7E5C'0BADU;
    case DType::bf16:
      return first ? 0x7FADU : 0x7E5BU;
    case DType::f16:
      return first ? 0x7DADU : 0x7A5BU;
    case DType::u8:
    case DType::e4m3fn:
    case DType::e5m2:
    case DType::boolean:
      return first ? 0xADU : 0x5BU;
    default:
      return first ? 0x8000'0000'0BAD'0BADU : 0x0000'0000'0BAD'0BADU;
  }
}

void fill_with(Poison poison, const Tensor& tensor) {
  if (tensor.empty()) return;
  const uint64_t bits = poison_bits(poison, tensor.dtype());
  std::array<std::byte, sizeof bits> element{};
  std::memcpy(element.data(), &bits, sizeof bits);  // little-endian
  tensor.place().fill(tensor.view().data, static_cast<size_t>(tensor.bytes()),
                      std::span(element).first(static_cast<size_t>(size_of(tensor.dtype()))));
}

}  // namespace parity
