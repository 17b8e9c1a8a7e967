// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/host_rows.hpp"

#include "optimized/cuda/vectors.hpp"

namespace parity::optimized::cuda {

Element element_of(DType type) {
  switch (type) {
    case DType::f32:
      return Element::f32;
    case DType::bf16:
      return Element::bf16;
    case DType::f16:
      return Element::f16;
    case DType::e4m3fn:
      return Element::e4m3fn;
    case DType::u8:
      return Element::u8;
    case DType::i64:
      return Element::i64;
    default:
      throw Error(ErrorCode::unsupported,
                  fmt::format("a CUDA kernel is given {}; convert the operand to f32 or bf16", to_string(type)));
  }
}

Rows rows_of(const TensorView& view) {
  TensorView bytes = view;  // folding does not depend on the type
  bytes.dtype = DType::u8;
  const auto folded = bytes.as<uint8_t, 2>();
  return {{view.data, {folded.stride[0], folded.stride[1]}},
          element_of(view.dtype),
          static_cast<int32_t>(has_vectors(folded, size_of(view.dtype)))};
}

Rows list_of(const TensorView& view) {
  TensorView row = view;
  row.shape.insert(row.shape.begin(), 1);
  row.strides.insert(row.strides.begin(), 0);
  return rows_of(row);
}

}  // namespace parity::optimized::cuda
