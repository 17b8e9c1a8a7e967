// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reductions of cp.reduce.async.bulk, element by element.
#include <algorithm>

#include "optimized/ptx/instructions/bulk.hpp"
#include "optimized/ptx/instructions/real.hpp"
#include "optimized/ptx/number/native_half.hpp"

namespace parity::ptx {
namespace {

template <class T, auto f>
void each(uint8_t* to, const uint8_t* from, uint32_t bytes) {
  for (uint32_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, to + at, sizeof x);
    std::memcpy(&y, from + at, sizeof y);
    const T result = f(x, y);
    std::memcpy(to + at, &result, sizeof result);
  }
}

template <class T>
Combine of_bits(Reduction reduction) {
  using U = std::make_unsigned_t<T>;
  switch (reduction) {
    case Reduction::add:
      return &each<T, [](T x, T y) { return static_cast<T>(static_cast<U>(x) + static_cast<U>(y)); }>;
    case Reduction::min:
      return &each<T, [](T x, T y) { return std::min(x, y); }>;
    case Reduction::max:
      return &each<T, [](T x, T y) { return std::max(x, y); }>;
    case Reduction::conjunction:
      return &each<T, [](T x, T y) { return static_cast<T>(x & y); }>;
    case Reduction::disjunction:
      return &each<T, [](T x, T y) { return static_cast<T>(x | y); }>;
    case Reduction::difference:
      return &each<T, [](T x, T y) { return static_cast<T>(x ^ y); }>;
    case Reduction::inc:
      return &each<T, [](T x, T y) { return static_cast<U>(x) >= static_cast<U>(y) ? T{0} : static_cast<T>(x + 1); }>;
    case Reduction::dec:
      return &each<T, [](T x, T y) {
        return x == 0 || static_cast<U>(y) < static_cast<U>(x) ? y : static_cast<T>(x - 1);
      }>;
  }
  return nullptr;
}

template <class Half>
Combine of_halves(Reduction reduction) {
  using U = uint16_t;
  if (reduction == Reduction::add) return &each<U, [](U x, U y) { return native::add_half<Half>(x, y); }>;
  if (reduction == Reduction::min)
    return &each<U, [](U x, U y) { return Half::narrow(least(Half::widen(x), Half::widen(y))); }>;
  if (reduction == Reduction::max)
    return &each<U, [](U x, U y) { return Half::narrow(greatest(Half::widen(x), Half::widen(y))); }>;
  return nullptr;
}

template <class T>
Combine of_reals(Reduction reduction) {
  if (reduction != Reduction::add) return nullptr;
  return &each<T, [](T x, T y) { return sum_in_global(y, x); }>;  // reals are reduced in global memory alone
}

}  // namespace

Combine combine_of(Reduction reduction, NumberType type) {
  switch (type) {
    case NumberType::u32:
      return of_bits<uint32_t>(reduction);
    case NumberType::s32:
      return of_bits<int32_t>(reduction);
    case NumberType::u64:
      return of_bits<uint64_t>(reduction);
    case NumberType::s64:
      return of_bits<int64_t>(reduction);
    case NumberType::f16:
      return of_halves<native::F16>(reduction);
    case NumberType::bf16:
      return of_halves<native::BF16>(reduction);
    case NumberType::f32:
      return of_reals<float>(reduction);
    case NumberType::f64:
      return of_reals<double>(reduction);
    default:
      return nullptr;
  }
}

Reduction take_reduction(Decoder& d) {
  const int which = d.take_one({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  if (which < 0) d.refuse("'.add', '.min', '.max', '.inc', '.dec', '.and', '.or' or '.xor' is expected");
  return static_cast<Reduction>(which);
}

}  // namespace parity::ptx
