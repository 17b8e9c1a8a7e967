// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/libhdf5_dtype.hpp"

namespace parity::golden::libhdf5 {
namespace {

Handle copy_of(hid_t type) { return checked(H5Tcopy(type), H5Tclose, "cannot copy an HDF5 type"); }

/// A 16-bit float type: sign in bit 15, then `exponent_bits`, then the mantissa without the hidden bit.
Handle half_float(size_t exponent_bits) {
  Handle type = copy_of(H5T_IEEE_F32LE);
  const size_t mantissa_bits = 15 - exponent_bits;
  check(H5Tset_fields(type.get(), 15, mantissa_bits, exponent_bits, 0, mantissa_bits),
        "cannot create a 16-bit float type");
  check(H5Tset_size(type.get(), 2),
        "cannot create a 16-bit float type");  // after the fields: they must fit at all times
  check(H5Tset_ebias(type.get(), (size_t{1} << (exponent_bits - 1)) - 1), "cannot create a 16-bit float type");
  return type;
}

}  // namespace

Handle type_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return copy_of(H5T_IEEE_F64LE);
    case DType::f32:
      return copy_of(H5T_IEEE_F32LE);
    case DType::f16:
      return half_float(5);
    case DType::bf16:
      return half_float(8);
    case DType::i64:
      return copy_of(H5T_STD_I64LE);
    case DType::i32:
      return copy_of(H5T_STD_I32LE);
    case DType::u8:
    case DType::boolean:
      return copy_of(H5T_STD_U8LE);
    case DType::e4m3fn:
    case DType::e5m2:
      break;
  }
  throw Error(ErrorCode::internal,
              fmt::format("{} is not an element type of activations.h5; store the codes as u8", to_string(dtype)));
}

Handle text_type(size_t bytes) {
  Handle type = copy_of(H5T_C_S1);
  check(H5Tset_size(type.get(), bytes == 0 ? H5T_VARIABLE : bytes), "cannot create a text type");
  if (bytes != 0) check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "cannot create a text type");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "cannot create a text type");
  return type;
}

}  // namespace parity::golden::libhdf5
