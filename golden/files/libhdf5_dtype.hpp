// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// HDF5 types of the elements: bf16 is a 16-bit HDF5 float, which any HDF5 reader converts exactly.
#pragma once

#include "core/dtype.hpp"
#include "golden/files/libhdf5.hpp"

namespace parity::golden::libhdf5 {

/// The HDF5 type of stored elements. Throws Error{internal} for e4m3fn and e5m2.
[[nodiscard]] Handle type_of(DType dtype);
/// The type of a null-padded UTF-8 string of `bytes` bytes; 0 means variable length.
[[nodiscard]] Handle text_type(size_t bytes);

}  // namespace parity::golden::libhdf5
