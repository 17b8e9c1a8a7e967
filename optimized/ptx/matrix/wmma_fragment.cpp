// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/wmma_fragment.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"

namespace parity::ptx {
namespace {

constexpr size_t kHalfRegisters = 8;  // of A and B in f16

bool is_byte_type(MatrixType type) { return type == MatrixType::s8 || type == MatrixType::u8; }

std::vector<MmaShape> wmma_shapes(MatrixType type) {
  const std::vector<MmaShape> common{{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
  switch (type) {
    case MatrixType::f16:
    case MatrixType::bf16:
    case MatrixType::s8:
    case MatrixType::u8:
    case MatrixType::f32:
    case MatrixType::s32:
      return common;
    case MatrixType::tf32:
      return {{16, 16, 8}};
    case MatrixType::f64:
      return {{8, 8, 4}};
    default:
      return {};
  }
}

}  // namespace

WmmaMatrix wmma_matrix(const MmaShape& shape, WmmaOperand operand, MatrixType type) {
  std::vector<MmaShape> shapes = wmma_shapes(type);
  const bool sum = operand == WmmaOperand::c || operand == WmmaOperand::d;
  if (sum && type == MatrixType::f32) shapes.push_back({16, 16, 8});  // of tf32
  const bool factor_of_sums = !sum && (type == MatrixType::f32 || type == MatrixType::s32);
  PARITY_CHECK(!factor_of_sums && std::find(shapes.begin(), shapes.end(), shape) != shapes.end(), unsupported,
               "there is no wmma.m{}n{}k{} of .{} here; see PTX ISA 9.7.14.4, without .s4, .u4 and .b1", shape.m,
               shape.n, shape.k, to_string(type));
  if (operand == WmmaOperand::a) return {shape.m, shape.k, type};
  if (operand == WmmaOperand::b) return {shape.k, shape.n, type};
  return {shape.m, shape.n, type};
}

size_t wmma_registers(const WmmaMatrix& matrix, WmmaOperand operand) {
  const bool factor = operand == WmmaOperand::a || operand == WmmaOperand::b;
  return factor && matrix.type == MatrixType::f16 ? kHalfRegisters : static_cast<size_t>(matrix.distinct());
}

void check_wmma(const MmaShape& shape, MatrixType a, MatrixType b, MatrixType c, MatrixType d) {
  static_cast<void>(wmma_matrix(shape, WmmaOperand::a, a));
  const bool halves = a == MatrixType::f16 && (c == MatrixType::f16 || c == MatrixType::f32) &&
                      (d == MatrixType::f16 || d == MatrixType::f32);
  const bool singles = (a == MatrixType::bf16 || a == MatrixType::tf32) && c == MatrixType::f32 && d == c;
  const bool doubles = a == MatrixType::f64 && c == a && d == a;
  const bool integers = is_byte_type(a) && c == MatrixType::s32 && d == c;
  PARITY_CHECK(a == b && (halves || singles || doubles || integers), unsupported,
               "there is no wmma of .{} and .{} that adds .{} and gives .{}; see PTX ISA 9.7.14.4.5", to_string(a),
               to_string(b), to_string(c), to_string(d));
}

}  // namespace parity::ptx
