// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/mma.hpp"

#include <array>

#include "core/error.hpp"
#include "optimized/ptx/matrix/quad_mma.hpp"
#include "optimized/ptx/number/environment.hpp"

namespace parity::ptx {
namespace {

// The largest operand has 16 rows or 8 columns of 256 bits.
constexpr size_t kMostA = 16 * 256, kMostB = 256 * 8, kMostC = 16 * 8;

/// Every element of a fragment: visit(lane, register, element, code).
template <MatrixType type, class Visit>
void each_code(const Fragment& fragment, const WarpRegister32* registers, const Visit& visit) {
  constexpr unsigned kBits = bits_of(type);
  constexpr uint32_t kMask = kBits == 32 ? ~uint32_t{0} : (uint32_t{1} << kBits % 32) - 1;
  for (int number = 0; number < fragment.registers; ++number) {
    for (int lane = 0; lane < 32; ++lane) {
      const uint32_t word = registers[number][lane];
      for (int element = 0; element < fragment.elements; ++element) {
        visit(lane, number, element, word >> static_cast<unsigned>(element) * kBits & kMask);
      }
    }
  }
}

template <MatrixType type, class T>
T number_of(uint32_t code) {
  if constexpr (std::is_same_v<T, float>) {
    return widened<type>(code);
  } else {
    return integer_of<type>(code);
  }
}

template <MatrixType type, class T>
void gather(const MmaShape& shape, bool is_a, const WarpRegister32* registers, T* dense) {
  if (is_a) {
    each_code<type>(fragment_a(shape, type), registers, [&](int lane, int number, int element, uint32_t code) {
      const Position at = position_a(shape, type, lane, number, element);
      dense[at.row * shape.k + at.column] = number_of<type, T>(code);
    });
  } else {
    each_code<type>(fragment_b(shape, type), registers, [&](int lane, int number, int element, uint32_t code) {
      const Position at = position_b(type, lane, number, element);
      dense[at.row * shape.n + at.column] = number_of<type, T>(code);
    });
  }
}

void gather_real(const Mma& mma, bool is_a, const WarpRegister32* registers, float* dense) {
  switch (is_a ? mma.a : mma.b) {
    case MatrixType::f16:
      return gather<MatrixType::f16>(mma.shape, is_a, registers, dense);
    case MatrixType::bf16:
      return gather<MatrixType::bf16>(mma.shape, is_a, registers, dense);
    case MatrixType::tf32:
      return gather<MatrixType::tf32>(mma.shape, is_a, registers, dense);
    case MatrixType::e4m3:
      return gather<MatrixType::e4m3>(mma.shape, is_a, registers, dense);
    case MatrixType::e5m2:
      return gather<MatrixType::e5m2>(mma.shape, is_a, registers, dense);
    default:
      throw Error(ErrorCode::internal, "mma of a type that check_mma refuses; check the instruction first");
  }
}

void gather_integer(const Mma& mma, bool is_a, const WarpRegister32* registers, int32_t* dense) {
  switch (is_a ? mma.a : mma.b) {
    case MatrixType::s8:
      return gather<MatrixType::s8>(mma.shape, is_a, registers, dense);
    case MatrixType::u8:
      return gather<MatrixType::u8>(mma.shape, is_a, registers, dense);
    case MatrixType::s4:
      return gather<MatrixType::s4>(mma.shape, is_a, registers, dense);
    case MatrixType::u4:
      return gather<MatrixType::u4>(mma.shape, is_a, registers, dense);
    case MatrixType::b1:
      return gather<MatrixType::b1>(mma.shape, is_a, registers, dense);
    default:
      throw Error(ErrorCode::internal, "mma of a type that check_mma refuses; check the instruction first");
  }
}

/// D = C + popc(row op column). Of bits the product is `and`; `xor` is a + b - 2 a b.
void multiply_bits(const Mma& mma, const int32_t* a, const int32_t* b, const int32_t* c, int32_t* d) {
  const auto& [m, n, k] = mma.shape;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      uint32_t count = 0;
      for (int l = 0; l < k; ++l) {
        const int32_t x = a[i * k + l], y = b[l * n + j];
        count += static_cast<uint32_t>(mma.logical_and ? x & y : x ^ y);
      }
      d[i * n + j] = static_cast<int32_t>(static_cast<uint32_t>(c[i * n + j]) + count);
    }
  }
}

void execute_integer(const Mma& mma, const WarpRegister32* a, const WarpRegister32* b, const WarpRegister32* c,
                     uint32_t* const* d) {
  const auto& [m, n, k] = mma.shape;
  std::array<int32_t, kMostA> dense_a;
  std::array<int32_t, kMostB> dense_b;
  std::array<int32_t, kMostC> sums{};
  gather_integer(mma, true, a, dense_a.data());
  gather_integer(mma, false, b, dense_b.data());
  const Fragment fragment = fragment_c(mma.shape, MatrixType::s32);
  const auto index = [&](int lane, int number) {
    const Position at = position_c(MatrixType::s32, lane, number, 0);
    return static_cast<size_t>(at.row * n + at.column);
  };
  for (int number = 0; number < fragment.registers; ++number) {
    for (int lane = 0; lane < 32; ++lane) sums[index(lane, number)] = static_cast<int32_t>(c[number][lane]);
  }
  if (mma.a == MatrixType::b1) {
    multiply_bits(mma, dense_a.data(), dense_b.data(), sums.data(), sums.data());
  } else {
    multiply_integer(m, n, k, dense_a.data(), dense_b.data(), sums.data(), sums.data(), mma.satfinite);
  }
  for (int number = 0; number < fragment.registers; ++number) {
    for (int lane = 0; lane < 32; ++lane) d[number][lane] = static_cast<uint32_t>(sums[index(lane, number)]);
  }
}

void gather_c(const Mma& mma, const WarpRegister32* c, float* sums) {
  const auto put = [&](int lane, int number, int element, float value) {
    const Position at = position_c(mma.c, lane, number, element);
    sums[at.row * mma.shape.n + at.column] = value;
  };
  const Fragment fragment = fragment_c(mma.shape, mma.c);
  if (mma.c == MatrixType::f16) {
    each_code<MatrixType::f16>(fragment, c, [&](int lane, int number, int element, uint32_t code) {
      put(lane, number, element, widened<MatrixType::f16>(code));
    });
  } else {
    each_code<MatrixType::f32>(fragment, c, [&](int lane, int number, int element, uint32_t code) {
      put(lane, number, element, widened<MatrixType::f32>(code));
    });
  }
}

void scatter_d(const Mma& mma, const float* sums, uint32_t* const* d) {
  const Fragment fragment = fragment_c(mma.shape, mma.d);
  for (int number = 0; number < fragment.registers; ++number) {
    for (int lane = 0; lane < 32; ++lane) {
      const auto value = [&](int element) {
        const Position at = position_c(mma.d, lane, number, element);
        return sums[at.row * mma.shape.n + at.column];
      };
      d[number][lane] = mma.d == MatrixType::f32
                            ? std::bit_cast<uint32_t>(value(0))
                            : native::f16_of_f32(value(0)) | static_cast<uint32_t>(native::f16_of_f32(value(1))) << 16;
    }
  }
}

}  // namespace

void execute_mma(const Mma& mma, const WarpRegister32* a, const WarpRegister32* b, const WarpRegister32* c,
                 uint32_t* const* d, const Summation& summation) {
  if (is_integer(mma.a)) return execute_integer(mma, a, b, c, d);
  const NearestEnvironment nearest;
  if (mma.shape.m == 8) return execute_quad_mma(mma, a, b, c, d, summation);
  std::array<float, 16 * 32> dense_a;
  std::array<float, 32 * 8> dense_b;
  std::array<float, kMostC> sums{};
  gather_real(mma, true, a, dense_a.data());
  gather_real(mma, false, b, dense_b.data());
  gather_c(mma, c, sums.data());
  multiply(mma.shape.m, mma.shape.n, mma.shape.k, dense_a.data(), dense_b.data(), sums.data(), sums.data(), summation);
  scatter_d(mma, sums.data(), d);
}

void execute_mma_f64(const Mma& mma, const WarpRegister64* a, const WarpRegister64* b, const WarpRegister64* c,
                     uint64_t* const* d) {
  const auto& [m, n, k] = mma.shape;
  constexpr MatrixType kType = MatrixType::f64;
  std::array<double, 16 * 16> dense_a;
  std::array<double, 16 * 8> dense_b;
  std::array<double, kMostC> sums{};
  const auto each = [](int registers, const auto& visit) {
    for (int number = 0; number < registers; ++number) {
      for (int lane = 0; lane < 32; ++lane) visit(number, lane);
    }
  };
  const auto index = [](const Position& at, int width) { return static_cast<size_t>(at.row * width + at.column); };
  each(fragment_a(mma.shape, kType).registers, [&](int number, int lane) {
    dense_a[index(position_a(mma.shape, kType, lane, number, 0), k)] = std::bit_cast<double>(a[number][lane]);
  });
  each(fragment_b(mma.shape, kType).registers, [&](int number, int lane) {
    dense_b[index(position_b(kType, lane, number, 0), n)] = std::bit_cast<double>(b[number][lane]);
  });
  const int registers = fragment_c(mma.shape, kType).registers;
  each(registers, [&](int number, int lane) {
    sums[index(position_c(kType, lane, number, 0), n)] = std::bit_cast<double>(c[number][lane]);
  });
  multiply_f64(m, n, k, dense_a.data(), dense_b.data(), sums.data(), sums.data(), mma.rounding);
  each(registers, [&](int number, int lane) {
    d[number][lane] = std::bit_cast<uint64_t>(sums[index(position_c(kType, lane, number, 0), n)]);
  });
}

}  // namespace parity::ptx
