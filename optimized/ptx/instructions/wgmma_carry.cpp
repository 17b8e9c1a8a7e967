// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The products of wgmma: operands from shared memory and registers, sums into registers.
#include "optimized/ptx/instructions/wgmma.hpp"
#include "optimized/ptx/matrix/product.hpp"
#include "optimized/ptx/matrix/warpgroup_fragment.hpp"
#include "optimized/ptx/number/environment.hpp"

namespace parity::ptx {
namespace {

/// f(number of a code), for codes of this type.
template <class T, class F>
void with_numbers(MatrixType type, const F& f) {
  if constexpr (std::is_same_v<T, int32_t>) {
    return type == MatrixType::s8 ? f(&integer_of<MatrixType::s8>, uint8_t{})
                                  : f(&integer_of<MatrixType::u8>, uint8_t{});
  } else {
    switch (type) {
      case MatrixType::f16:
        return f([](uint32_t code) { return widened<MatrixType::f16>(code); }, uint16_t{});
      case MatrixType::bf16:
        return f([](uint32_t code) { return widened<MatrixType::bf16>(code); }, uint16_t{});
      case MatrixType::tf32:
        return f([](uint32_t code) { return widened<MatrixType::tf32>(code); }, uint32_t{});
      case MatrixType::e4m3:
        return f([](uint32_t code) { return widened<MatrixType::e4m3>(code); }, uint8_t{});
      default:
        return f([](uint32_t code) { return widened<MatrixType::e5m2>(code); }, uint8_t{});
    }
  }
}

/// put(mn, k, number) for each element of a side.
template <class T, class Put>
void gather(const Warp& warp, const Side& side, const Warpgroup& what, MatrixType type, const Put& put_at) {
  with_numbers<T>(type, [&](auto number, auto code_of) {
    using Code_ = decltype(code_of);
    constexpr int kWide = 16 / sizeof(Code_);
    each_chunk(side.at, side.major, what, side.from, side.to, [&](uint32_t address, int mn, int k) {
      std::array<Code_, kWide> codes{};
      if (inside(warp, address)) std::memcpy(codes.data(), warp.block->shared.data() + address, 16);
      const bool along_k = side.major == Major::k;
      for (int x = 0; x < kWide; ++x)
        put_at(mn - side.from + (along_k ? 0 : x), k + (along_k ? x : 0), number(codes[static_cast<size_t>(x)]));
    });
  });
}

template <class T>
void gather_registers(const PendingMatrix& pending, const Warpgroup& what, const uint32_t* registers, T* dense) {
  with_numbers<T>(what.a, [&](auto number, auto code_of) {
    constexpr int kElements = 4 / sizeof(code_of);
    for (int place = 0; place < 4; ++place) {
      const auto* words = reinterpret_cast<const uint32_t*>(pending.frame->file.get() + registers[place]);
      for (int lane = 0; lane < 32; ++lane) {
        for (int e = 0; e < kElements; ++e) {
          const MatrixPosition at = warpgroup_position_a(what.a, lane, place, e);
          const auto code = static_cast<decltype(code_of)>(words[lane] >> (32 / kElements * e % 32));
          dense[at.row * what.shape.k + at.column] = number(code);
        }
      }
    }
  });
}

/// B is the same for the four warps of a warpgroup, as long as they are carried out in one wait.
template <class T>
struct GatheredB {
  uint64_t wait = 0, descriptor = 0;
  const Step* step = nullptr;
  std::array<T, 32 * 256> numbers;
};
thread_local uint64_t matrix_waits = 0;

template <class T>
const T* numbers_of_b(const Warp& warp, const PendingMatrix& pending, const Warpgroup& what) {
  thread_local GatheredB<T> last;
  if (last.wait == matrix_waits && last.descriptor == pending.b && last.step == pending.step)
    return last.numbers.data();
  last.wait = matrix_waits;
  last.descriptor = pending.b;
  last.step = pending.step;
  gather<T>(warp, side_b(pending, what), what, what.b,
            [&, n = what.shape.n](int mn, int k, T x) { last.numbers[static_cast<size_t>(k * n + mn)] = x; });
  return last.numbers.data();
}

/// visit(word of a register, shift of the element in it, index in the 16 rows of the warp)
template <class Visit>
void each_sum(const PendingMatrix& pending, const Warpgroup& what, const uint32_t* registers, const Visit& visit) {
  const MatrixFragment fragment = warpgroup_fragment_d(what.shape.n, what.sum);
  for (int number = 0; number < fragment.registers; ++number) {
    auto* words = reinterpret_cast<uint32_t*>(pending.frame->file.get() + registers[number]);
    for (int e = 0; e < fragment.elements; ++e) {
      const MatrixPosition first = warpgroup_position_d(what.sum, 0, number, e);
      const int start = first.row * what.shape.n + first.column;
      for (int lane = 0; lane < 32; ++lane)
        visit(words[lane], 16 * e, static_cast<size_t>(start + lane / 4 * what.shape.n + lane % 4 * 2));
    }
  }
}

template <class T>
void multiply_and_add(const Warp& warp, const PendingMatrix& pending, const Warpgroup& what, const uint32_t* words) {
  const T* b = numbers_of_b<T>(warp, pending, what);
  std::array<T, 16 * 32> a;
  std::array<T, size_t{16} * 256> sums{};
  if (what.a_in_registers) {
    gather_registers(pending, what, words, a.data());
  } else {
    gather<T>(warp, side_a(warp, pending, what), what, what.a,
              [&, k_all = what.shape.k](int mn, int k, T x) { a[static_cast<size_t>(mn * k_all + k)] = x; });
  }
  if (what.negated) {
    for (T& x : a) x = -x;
  }
  const uint32_t* registers = words + (what.a_in_registers ? 4 : 0);
  const bool half = what.sum == MatrixType::f16;
  if (pending.adds) {
    each_sum(pending, what, registers, [&](uint32_t word, int shift, size_t at) {
      sums[at] =
          half ? static_cast<T>(native::f32_of_f16(static_cast<uint16_t>(word >> shift))) : std::bit_cast<T>(word);
    });
  }
  if constexpr (std::is_same_v<T, int32_t>) {
    multiply_integer(16, what.shape.n, what.shape.k, a.data(), b, sums.data(), sums.data(), what.satfinite);
  } else {
    multiply(16, what.shape.n, what.shape.k, a.data(), b, sums.data(), sums.data(), {what.a, what.b, what.sum, true},
             warp.worker->machine.options.summation);
  }
  each_sum(pending, what, registers, [&](uint32_t& word, int shift, size_t at) {
    if (half) {
      const uint32_t code = native::f16_of_f32(static_cast<float>(sums[at]));
      word = (word & ~(0xFFFFU << shift)) | code << shift;
    } else {
      word = std::bit_cast<uint32_t>(sums[at]);
    }
  });
}

void end_reading(const Warp& warp, const Side& side, const Warpgroup& what) {
  each_chunk(side.at, side.major, what, side.from, side.to, [&](uint32_t address, int, int) {
    if (inside(warp, address)) --warp.block->readers[address / Block::kReadUnit];
  });
}

}  // namespace

void carry_out(Warp& warp, PendingMatrix& pending) {
  const NearestEnvironment nearest;
  const uint32_t* words = pending.frame->code->lists.data() + pending.step->list;
  const Warpgroup what = warpgroup_of(words);
  words += Warpgroup::kWords;
  is_integer(what.a) ? multiply_and_add<int32_t>(warp, pending, what, words)
                     : multiply_and_add<float>(warp, pending, what, words);
  pending.done = true;
  if (!warp.checks) return;
  end_reading(warp, side_b(pending, what), what);
  if (!what.a_in_registers) end_reading(warp, side_a(warp, pending, what), what);
}

void begin_wait() { ++matrix_waits; }

}  // namespace parity::ptx
