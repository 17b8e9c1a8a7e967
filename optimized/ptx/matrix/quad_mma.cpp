// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/quad_mma.hpp"

#include <array>

#include "optimized/ptx/matrix/quad_fragment.hpp"

namespace parity::ptx {
namespace {

constexpr size_t kM = 8, kN = 8, kK = 4;

uint32_t half_of(const WarpRegister32* registers, int lane, int element) {
  return registers[element / 2][lane] >> (16 * static_cast<unsigned>(element % 2)) & 0xFFFFU;
}

float accumulator_of(MatrixType type, const WarpRegister32* registers, int lane, int element) {
  if (type == MatrixType::f32) return std::bit_cast<float>(registers[element][lane]);
  return native::f32_of_f16(static_cast<uint16_t>(half_of(registers, lane, element)));
}

size_t index_of(const MatrixPosition& at, size_t width) {
  return static_cast<size_t>(at.row) * width + static_cast<size_t>(at.column);
}

}  // namespace

void execute_quad_mma(const Mma& mma, const WarpRegister32* a, const WarpRegister32* b, const WarpRegister32* c,
                      uint32_t* const* d, const Summation& summation) {
  std::array<std::array<float, kM * kK>, 4> dense_a{};
  std::array<std::array<float, kK * kN>, 4> dense_b{};
  std::array<std::array<float, kM * kN>, 4> sums{};
  for (int lane = 0; lane < 32; ++lane) {
    const auto product = static_cast<size_t>(quad_product(lane));
    for (int e = 0; e < 4; ++e) {
      dense_a[product][index_of(quad_position_a(mma.a_row_major, lane, e), kK)] =
          native::f32_of_f16(static_cast<uint16_t>(half_of(a, lane, e)));
      dense_b[product][index_of(quad_position_b(mma.b_row_major, lane, e), kN)] =
          native::f32_of_f16(static_cast<uint16_t>(half_of(b, lane, e)));
    }
    for (int e = 0; e < 8; ++e) {
      sums[product][index_of(quad_position_c(mma.c, lane, e), kN)] = accumulator_of(mma.c, c, lane, e);
    }
  }
  for (size_t p = 0; p < 4; ++p) {
    multiply(kM, kN, kK, dense_a[p].data(), dense_b[p].data(), sums[p].data(), sums[p].data(), {mma.a, mma.b, mma.d},
             summation);
  }
  for (int lane = 0; lane < 32; ++lane) {
    const auto& own = sums[static_cast<size_t>(quad_product(lane))];
    const auto value = [&](int e) { return own[index_of(quad_position_c(mma.d, lane, e), kN)]; };
    for (int number = 0; number < (mma.d == MatrixType::f32 ? 8 : 4); ++number) {
      d[number][lane] = mma.d == MatrixType::f32
                            ? std::bit_cast<uint32_t>(value(number))
                            : native::f16_of_f32(value(2 * number)) |
                                  static_cast<uint32_t>(native::f16_of_f32(value(2 * number + 1))) << 16;
    }
  }
}

}  // namespace parity::ptx
