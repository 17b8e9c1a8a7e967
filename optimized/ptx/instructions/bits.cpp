// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// popc, clz, brev, bfind, bfe, bfi, fns, bmsk, szext, prmt, shf. Source: PTX ISA 9.0, sections 9.7.1 and 9.7.8.
#include <bit>
#include <limits>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

template <class U>
uint32_t highest(U value) {
  return value == 0 ? ~uint32_t{0}
                    : static_cast<uint32_t>(8 * sizeof(U) - 1) - static_cast<uint32_t>(std::countl_zero(value));
}

template <class X>
uint32_t find_bit(X value) {
  using U = std::make_unsigned_t<X>;
  const auto bits = static_cast<U>(value);
  return highest<U>(std::is_signed_v<X> && value < 0 ? static_cast<U>(~bits) : bits);
}
template <class X>
uint32_t find_shift(X value) {
  const uint32_t at = find_bit(value);
  return at == ~uint32_t{0} ? at : static_cast<uint32_t>(8 * sizeof(X) - 1) - at;
}

template <class U>
U reversed(U value) {
  U result = 0;
  for (uint32_t i = 0; i < 8 * sizeof(U); ++i) result |= (value >> i & U{1}) << (8 * sizeof(U) - 1 - i);
  return result;
}

/// Bits a[b + c - 1 : b], above them copies of the field's sign (of a's highest bit if the field reaches beyond a).
template <class X>
X extracted(X a, uint32_t b, uint32_t c) {
  constexpr uint32_t kMost = 8 * sizeof(X) - 1;
  using U = std::make_unsigned_t<X>;
  const uint32_t position = b & 0xFFU, length = c & 0xFFU;
  const auto bits = static_cast<U>(a);
  const bool zero = !std::is_signed_v<X> || length == 0;
  const uint32_t last = std::min(position + length - 1, kMost);
  const U sign = zero ? U{0} : (bits >> last & U{1});
  U result = sign != 0 ? static_cast<U>(~U{0}) : U{0};
  if (length == 0) return 0;
  const U moved = position > kMost ? U{0} : bits >> position;
  const uint32_t present = position > kMost ? 0 : std::min(length, kMost + 1 - position);
  const U field = present > kMost ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << present) - 1);
  result = (result & ~field) | (moved & field);
  return static_cast<X>(result);
}

template <class U>
U inserted(U a, U b, uint32_t c, uint32_t d) {
  constexpr uint32_t kMost = 8 * sizeof(U) - 1;
  const uint32_t position = c & 0xFFU, length = d & 0xFFU;
  if (length == 0 || position > kMost) return b;
  const U ones = length > kMost ? ~U{0} : (U{1} << length) - 1;
  const U field = ones << position;
  return (b & ~field) | (a << position & field);
}

/// bfi d, a, b, c, e
template <class U>
void insert(Warp& warp, const Step& step) {
  const U *a = warp.at<U>(step.a), *b = warp.at<U>(step.b);
  const auto *c = warp.at<uint32_t>(step.c), *e = warp.at<uint32_t>(step.e);
  alignas(64) U values[kLanes];
  PARITY_LANES values[l] = inserted(a[l], b[l], c[l], e[l]);
  put(warp, step.d, values);
}

template <uint32_t mode>
uint32_t permuted(uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t bytes = uint64_t{b} << 32U | a;
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t select = c >> (4 * i) & 0xFU;
    const uint32_t k = c & 3U;
    if (mode == 1) select = (k + i) & 7U;             // f4e
    if (mode == 2) select = (k - i) & 7U;             // b4e
    if (mode == 3) select = k;                        // rc8
    if (mode == 4) select = std::max(i, k);           // ecl
    if (mode == 5) select = std::min(i, k);           // ecr
    if (mode == 6) select = (k & 1U) * 2 + (i & 1U);  // rc16
    const auto byte = static_cast<uint32_t>(bytes >> (8 * (select & 7U)) & 0xFFU);
    const bool sign = mode == 0 && (select & 8U) != 0;
    result |= (sign ? ((byte & 0x80U) != 0 ? 0xFFU : 0U) : byte) << (8 * i);
  }
  return result;
}

template <bool left, bool clamp>
uint32_t funnel(uint32_t low, uint32_t high, uint32_t by) {
  const uint32_t n = clamp ? std::min(by, 32U) : by & 31U;
  const uint64_t both = uint64_t{high} << 32U | low;
  return left ? static_cast<uint32_t>(both << n >> 32U) : static_cast<uint32_t>(both >> n);
}

/// The position of the n-th set bit from `base` on, upwards for n > 0, downwards for n < 0. Source: section 9.7.1.20.
uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == std::numeric_limits<int32_t>::min()) return 0;  // as an H100 has it: there is no -offset
  if (base > 31) return ~uint32_t{0};
  if (offset == 0) return (mask >> base & 1U) != 0 ? base : ~uint32_t{0};
  const int32_t step = offset > 0 ? 1 : -1;
  int32_t left = offset > 0 ? offset : -offset;
  for (auto at = static_cast<int32_t>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1U) != 0 && --left == 0) return static_cast<uint32_t>(at);
  }
  return ~uint32_t{0};
}

Handler counts(Decoder& d, Step& step, Type type) {
  step.d = d.destination(0, Type::u32);
  step.a = d.source(1, type);
  d.need(2);
  const bool long_ = bytes_of(type) == 8;
  if (d.is("popc")) {
    constexpr auto count = [](auto a) { return static_cast<uint32_t>(std::popcount(a)); };
    return long_ ? &map1<uint32_t, uint64_t, count> : &map1<uint32_t, uint32_t, count>;
  }
  if (d.is("clz")) {
    constexpr auto count = [](auto a) { return static_cast<uint32_t>(std::countl_zero(a)); };
    return long_ ? &map1<uint32_t, uint64_t, count> : &map1<uint32_t, uint32_t, count>;
  }
  if (d.take("shiftamt"))
    return of_integers(type, []<class X>() -> Handler { return &map1<uint32_t, X, find_shift<X>>; });
  return of_integers(type, []<class X>() -> Handler { return &map1<uint32_t, X, find_bit<X>>; });
}

Handler fields(Decoder& d, Step& step, Type type) {
  step.d = d.destination(0, type);
  step.a = d.source(1, type);
  if (d.is("bfi")) {
    d.need(5);
    step.b = d.source(2, type);
    step.c = d.source(3, Type::u32);
    step.e = d.source(4, Type::u32);
    return bytes_of(type) == 8 ? &insert<uint64_t> : &insert<uint32_t>;
  }
  d.need(4);
  step.b = d.source(2, Type::u32);
  step.c = d.source(3, Type::u32);
  switch (type) {
    case Type::u32:
      return &map3<uint32_t, uint32_t, uint32_t, uint32_t, extracted<uint32_t>>;
    case Type::s32:
      return &map3<int32_t, int32_t, uint32_t, uint32_t, extracted<int32_t>>;
    case Type::u64:
      return &map3<uint64_t, uint64_t, uint32_t, uint32_t, extracted<uint64_t>>;
    case Type::s64:
      return &map3<int64_t, int64_t, uint32_t, uint32_t, extracted<int64_t>>;
    default:
      d.refuse("a type of 32 or 64 bits with or without sign is expected");
  }
}

Handler permute(Decoder& d, Step& step) {
  d.need(4);
  d.take_type();
  d.same(step, Type::b32);
  constexpr auto of = []<uint32_t m>() -> Handler {
    return &map3<uint32_t, uint32_t, uint32_t, uint32_t, permuted<m>>;
  };
  switch (d.take_one({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})) {
    case 0:
      return of.operator()<1>();
    case 1:
      return of.operator()<2>();
    case 2:
      return of.operator()<3>();
    case 3:
      return of.operator()<4>();
    case 4:
      return of.operator()<5>();
    case 5:
      return of.operator()<6>();
    default:
      return of.operator()<0>();
  }
}

Handler funnels(Decoder& d, Step& step) {
  d.need(4);
  d.take_type();
  d.same(step, Type::b32);
  const bool left = d.take("l"), clamp = d.take("clamp");
  if (!left && !d.take("r")) d.refuse("'.l' or '.r' is expected");
  if (!clamp && !d.take("wrap")) d.refuse("'.clamp' or '.wrap' is expected");
  constexpr auto of = []<bool l, bool c>() -> Handler {
    return &map3<uint32_t, uint32_t, uint32_t, uint32_t, funnel<l, c>>;
  };
  if (left) return clamp ? of.operator()<true, true>() : of.operator()<true, false>();
  return clamp ? of.operator()<false, true>() : of.operator()<false, false>();
}

template <bool clamp>
uint32_t mask_of(uint32_t a, uint32_t b) {
  const uint32_t position = clamp ? a : a & 31U, length = clamp ? b : b & 31U;
  const uint64_t ones = length > 31 ? ~uint32_t{0} : (uint64_t{1} << length) - 1;
  return position > 31 ? 0 : static_cast<uint32_t>(ones << position);
}

/// The low b bits of a, with copies of the highest of them above if signed.
template <class X, bool clamp>
X extended(X a, uint32_t b) {
  const uint32_t length = clamp ? b : b & 31U;
  if (length == 0) return 0;
  if (length > 31) return a;
  const auto high = static_cast<X>(static_cast<uint32_t>(a) << (32 - length));
  return static_cast<X>(high >> (32 - length));
}

/// bmsk, szext: with .clamp or .wrap.
Handler clamped_or_wrapped(Decoder& d, Step& step) {
  const Type type = d.take_type();
  d.need(3);
  d.same(step, Type::b32);
  const bool clamp = d.take("clamp");
  if (!clamp && !d.take("wrap")) d.refuse("'.clamp' or '.wrap' is expected");
  if (d.is("bmsk"))
    return clamp ? &map2<uint32_t, uint32_t, uint32_t, mask_of<true>>
                 : &map2<uint32_t, uint32_t, uint32_t, mask_of<false>>;
  if (type == Type::s32)
    return clamp ? &map2<int32_t, int32_t, uint32_t, extended<int32_t, true>>
                 : &map2<int32_t, int32_t, uint32_t, extended<int32_t, false>>;
  if (type != Type::u32) d.refuse("types .u32 or .s32 are expected");
  return clamp ? &map2<uint32_t, uint32_t, uint32_t, extended<uint32_t, true>>
               : &map2<uint32_t, uint32_t, uint32_t, extended<uint32_t, false>>;
}

}  // namespace

Handler bits_group(Decoder& d, Step& step) {
  if (d.is("prmt")) return permute(d, step);
  if (d.is("shf")) return funnels(d, step);
  if (d.is("popc") || d.is("clz") || d.is("bfind")) return counts(d, step, d.take_type());
  if (d.is("bfe") || d.is("bfi")) return fields(d, step, d.take_type());
  if (d.is("brev")) {
    const Type type = d.take_type();
    d.need(2);
    d.same(step, type);
    return bytes_of(type) == 8 ? &map1<uint64_t, uint64_t, reversed<uint64_t>>
                               : &map1<uint32_t, uint32_t, reversed<uint32_t>>;
  }
  if (d.is("fns")) {
    d.take_type();
    d.need(4);
    d.same(step, Type::b32);
    return &map3<uint32_t, uint32_t, uint32_t, int32_t, nth_set>;
  }
  return d.is("bmsk") || d.is("szext") ? clamped_or_wrapped(d, step) : nullptr;
}

}  // namespace parity::ptx
