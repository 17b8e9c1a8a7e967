// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/types.hpp"

#include "core/error.hpp"

namespace parity::ptx {
namespace {

constexpr std::array<const char*, 13> kMatrixNames{"f16", "bf16", "tf32", "f64", "e4m3", "e5m2", "s8",
                                                   "u8",  "s4",   "u4",   "b1",  "f32",  "s32"};

}  // namespace

const char* to_string(MatrixType type) { return kMatrixNames.at(static_cast<size_t>(type)); }

MatrixType matrix_type_of(std::string_view name) {
  for (size_t i = 0; i < kMatrixNames.size(); ++i) {
    if (name == kMatrixNames[i]) return static_cast<MatrixType>(i);
  }
  throw Error(
      ErrorCode::unsupported,
      fmt::format("matrices of .{} elements cannot be multiplied here; use a dense type of sm_80 to sm_100", name));
}

}  // namespace parity::ptx
