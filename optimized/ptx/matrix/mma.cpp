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

/// Every number of a register in the order of lanes, within a lane from the low bits up: the four lanes of a group hold
/// a row of A, or a column of B, without gaps.
template <MatrixType type, class T>
std::array<T, static_cast<size_t>(32 * elements_per_register(type))> numbers_of(WarpRegister32 words) {
  constexpr unsigned kBits = bits_of(type);
  constexpr size_t kElements = elements_per_register(type);
  constexpr uint32_t kMask = kBits == 32 ? ~uint32_t{0} : (uint32_t{1} << kBits % 32) - 1;
  std::array<T, 32 * kElements> numbers;
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t element = 0; element < kElements; ++element) {
      const uint32_t code = words[lane] >> element * kBits & kMask;
      if constexpr (std::is_same_v<T, float>) {
        numbers[lane * kElements + element] = widened<type>(code);
      } else {
        numbers[lane * kElements + element] = integer_of<type>(code);
      }
    }
  }
  return numbers;
}

/// position_a and position_b for whole registers.
template <MatrixType type, class T>
void gather(const MmaShape& shape, bool is_a, const WarpRegister32* registers, T* dense) {
  constexpr int kWidth = 4 * elements_per_register(type);
  const int count = (is_a ? fragment_a(shape, type) : fragment_b(shape, type)).registers;
  for (int number = 0; number < count; ++number) {
    const auto numbers = numbers_of<type, T>(registers[number]);
    const MatrixPosition start = is_a ? position_a(shape, type, 0, number, 0) : position_b(type, 0, number, 0);
    T* target = dense + start.row * (is_a ? shape.k : shape.n) + start.column;
    for (int group = 0; group < 8; ++group) {
      const T* source = numbers.data() + static_cast<ptrdiff_t>(group) * kWidth;
      for (int x = 0; x < kWidth; ++x) target[is_a ? group * shape.k + x : x * shape.n + group] = source[x];
    }
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
  const int m = mma.shape.m, n = mma.shape.n, k = mma.shape.k;  // clang 14 captures no structured binding
  std::array<int32_t, kMostA> dense_a;
  std::array<int32_t, kMostB> dense_b;
  std::array<int32_t, kMostC> sums{};
  gather_integer(mma, true, a, dense_a.data());
  gather_integer(mma, false, b, dense_b.data());
  const MatrixFragment fragment = fragment_c(mma.shape, MatrixType::s32);
  const auto index = [&](int lane, int number) {
    const MatrixPosition at = position_c(MatrixType::s32, lane, number, 0);
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

/// Of f32 or f16.
template <MatrixType type>
void gather_c(const MmaShape& shape, const WarpRegister32* c, float* sums) {
  constexpr int kElements = elements_per_register(type);
  for (int number = 0; number < fragment_c(shape, type).registers; ++number) {
    const auto numbers = numbers_of<type, float>(c[number]);
    for (int i = 0; i < 32 * kElements; ++i) {
      const MatrixPosition at = position_c(type, i / kElements, number, i % kElements);
      sums[at.row * shape.n + at.column] = numbers[static_cast<size_t>(i)];
    }
  }
}

template <MatrixType type>
void scatter_d(const MmaShape& shape, const float* sums, uint32_t* const* d) {
  for (int number = 0; number < fragment_c(shape, type).registers; ++number) {
    for (int lane = 0; lane < 32; ++lane) {
      const MatrixPosition at = position_c(type, lane, number, 0);
      const float* first = sums + at.row * shape.n + at.column;
      if constexpr (type == MatrixType::f32) {
        d[number][lane] = std::bit_cast<uint32_t>(*first);
      } else {
        d[number][lane] = native::f16_of_f32(first[0]) | static_cast<uint32_t>(native::f16_of_f32(first[1])) << 16;
      }
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
  const bool half = mma.c == MatrixType::f16;
  half ? gather_c<MatrixType::f16>(mma.shape, c, sums.data()) : gather_c<MatrixType::f32>(mma.shape, c, sums.data());
  multiply(mma.shape.m, mma.shape.n, mma.shape.k, dense_a.data(), dense_b.data(), sums.data(), sums.data(),
           {mma.a, mma.b, mma.d}, summation);
  half ? scatter_d<MatrixType::f16>(mma.shape, sums.data(), d) : scatter_d<MatrixType::f32>(mma.shape, sums.data(), d);
}

void execute_mma_f64(const Mma& mma, const WarpRegister64* a, const WarpRegister64* b, const WarpRegister64* c,
                     uint64_t* const* d) {
  const int m = mma.shape.m, n = mma.shape.n, k = mma.shape.k;  // clang 14 captures no structured binding
  constexpr MatrixType kType = MatrixType::f64;
  std::array<double, 16 * 16> dense_a;
  std::array<double, 16 * 8> dense_b;
  std::array<double, kMostC> sums{};
  const auto each = [](int registers, const auto& visit) {
    for (int number = 0; number < registers; ++number) {
      for (int lane = 0; lane < 32; ++lane) visit(number, lane);
    }
  };
  const auto index = [](const MatrixPosition& at, int width) {
    return static_cast<size_t>(at.row * width + at.column);
  };
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
