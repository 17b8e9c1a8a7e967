// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which mma there are: the syntax and the rules of PTX ISA 9.7.14.5.14, without block scaling and sparsity; n of wgmma.
#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "optimized/ptx/matrix/mma.hpp"
#include "optimized/ptx/matrix/warpgroup_fragment.hpp"

namespace parity::ptx {
namespace {

using Type = MatrixType;

bool is_fp8(Type type) { return type == Type::e4m3 || type == Type::e5m2; }
bool is_byte(Type type) { return type == Type::s8 || type == Type::u8; }
bool is_nibble(Type type) { return type == Type::s4 || type == Type::u4; }

std::vector<MmaShape> shapes_of(Type type) {
  if (type == Type::f16) return {{8, 8, 4}, {16, 8, 8}, {16, 8, 16}};
  if (type == Type::bf16) return {{16, 8, 8}, {16, 8, 16}};
  if (type == Type::tf32) return {{16, 8, 4}, {16, 8, 8}};
  if (type == Type::f64) return {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}};
  if (is_fp8(type)) return {{16, 8, 16}, {16, 8, 32}};
  if (is_byte(type)) return {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}};
  if (is_nibble(type)) return {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}};
  if (type == Type::b1) return {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}};
  return {};
}

bool accumulates(Type a, Type c) {
  if (a == Type::f64) return c == Type::f64;
  if (is_integer(a)) return c == Type::s32;
  return c == Type::f32 || (c == Type::f16 && (a == Type::f16 || is_fp8(a)));
}

}  // namespace

void check_mma(const Mma& mma) {
  const auto& [m, n, k] = mma.shape;
  const auto shapes = shapes_of(mma.a);
  PARITY_CHECK(std::find(shapes.begin(), shapes.end(), mma.shape) != shapes.end(), unsupported,
               "there is no dense mma.m{}n{}k{} of .{}; see PTX ISA 9.7.14.5.14 for its shapes", m, n, k,
               to_string(mma.a));
  const bool mixed =
      (is_fp8(mma.a) && is_fp8(mma.b)) || (is_byte(mma.a) && is_byte(mma.b)) || (is_nibble(mma.a) && is_nibble(mma.b));
  PARITY_CHECK(mma.a == mma.b || mixed, unsupported, "mma cannot multiply .{} by .{}; convert one of them",
               to_string(mma.a), to_string(mma.b));
  const bool quad = mma.shape == MmaShape{8, 8, 4} && mma.a == Type::f16;
  PARITY_CHECK(accumulates(mma.a, mma.c) && accumulates(mma.a, mma.d), unsupported,
               "mma of .{} cannot add .{} to give .{}; use .f32, .f64 or .s32 for both", to_string(mma.a),
               to_string(mma.c), to_string(mma.d));
  PARITY_CHECK(mma.c == mma.d || (quad && mma.c == Type::f16), unsupported,
               "mma cannot give .{} from .{}; use one type for both", to_string(mma.d), to_string(mma.c));
  PARITY_CHECK(quad || (mma.a_row_major && !mma.b_row_major), unsupported,
               "only mma.m8n8k4 of .f16 has a choice of layouts; use .row.col");
  PARITY_CHECK(!mma.satfinite || (is_integer(mma.a) && mma.a != Type::b1), unsupported,
               ".satfinite is only for mma of .s8, .u8, .s4 and .u4; leave it out for .{}", to_string(mma.a));
  PARITY_CHECK(!mma.logical_and || mma.a == Type::b1, unsupported, ".and.popc is only for .b1; leave it out");
  PARITY_CHECK(mma.rounding == RoundingMode::nearest || (mma.a == Type::f64 && mma.rounding != RoundingMode::away),
               unsupported, "only mma of .f64 can round with .rz, .rm or .rp; leave the rounding out");
}

MmaShape warpgroup_shape(int n, MatrixType type) {
  const bool real = type == Type::f16 || type == Type::bf16 || type == Type::tf32 || is_fp8(type);
  PARITY_CHECK(real || is_byte(type) || type == Type::b1, unsupported,
               "there is no wgmma of .{}; use .f16, .bf16, .tf32, .e4m3, .e5m2, .s8, .u8 or .b1", to_string(type));
  const bool fits = n >= 8 && n <= 256 && (real || n <= 32 ? n % 8 == 0 : n % 16 == 0);
  PARITY_CHECK(fits, unsupported, "there is no wgmma.m64n{} of .{}; see PTX ISA 9.7.15.2 for its shapes", n,
               to_string(type));
  return {64, n, 256 / bits_of(type)};
}

}  // namespace parity::ptx
