// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Element types of the container: bf16 is a 16-bit HDF5 float that any HDF5 reader converts exactly.
#pragma once

#include "core/dtype.hpp"
#include "golden/libhdf5.hpp"

namespace parity::golden::libhdf5 {

/// The type as stored. Error{internal} for e4m3fn and e5m2.
[[nodiscard]] Handle type_of(DType dtype);
/// A null padded UTF-8 string of `bytes` bytes (0 = variable length).
[[nodiscard]] Handle text_type(size_t bytes);

}  // namespace parity::golden::libhdf5
