// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// dp4a, dp2a: dot products of the bytes or half-words of registers. Source: PTX ISA 9.0, sections 9.7.1.23, 9.7.1.24.
#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

template <class A, class B>
uint32_t of_bytes(uint32_t a, uint32_t b, uint32_t c) {
  for (uint32_t i = 0; i < 4; ++i)
    c += static_cast<uint32_t>(int32_t{static_cast<A>(a >> (8 * i))} * int32_t{static_cast<B>(b >> (8 * i))});
  return c;
}

template <class A, class B, uint32_t first>
uint32_t of_halves(uint32_t a, uint32_t b, uint32_t c) {
  for (uint32_t i = 0; i < 2; ++i)
    c +=
        static_cast<uint32_t>(int32_t{static_cast<A>(a >> (16 * i))} * int32_t{static_cast<B>(b >> (8 * (first + i)))});
  return c;
}

template <auto f>
Handler dot() {
  return &map3<uint32_t, uint32_t, uint32_t, uint32_t, f>;
}

}  // namespace

Handler dot_group(Decoder& d, Step& step) {
  if (!d.is("dp4a") && !d.is("dp2a")) return nullptr;
  const Type a = d.take_type(), b = d.take_type();
  const auto known = [](Type t) { return t == Type::u32 || t == Type::s32; };
  if (!known(a) || !known(b)) d.refuse("types .u32 or .s32 are expected");
  d.need(4);
  d.same(step, Type::b32);
  const int which = (a == Type::s32 ? 2 : 0) + (b == Type::s32 ? 1 : 0);
  if (d.is("dp4a")) {
    switch (which) {
      case 0:
        return dot<of_bytes<uint8_t, uint8_t>>();
      case 1:
        return dot<of_bytes<uint8_t, int8_t>>();
      case 2:
        return dot<of_bytes<int8_t, uint8_t>>();
      default:
        return dot<of_bytes<int8_t, int8_t>>();
    }
  }
  const bool high = d.take("hi");
  if (!high && !d.take("lo")) d.refuse("'.lo' or '.hi' is expected");
  switch (which) {
    case 0:
      return high ? dot<of_halves<uint16_t, uint8_t, 2>>() : dot<of_halves<uint16_t, uint8_t, 0>>();
    case 1:
      return high ? dot<of_halves<uint16_t, int8_t, 2>>() : dot<of_halves<uint16_t, int8_t, 0>>();
    case 2:
      return high ? dot<of_halves<int16_t, uint8_t, 2>>() : dot<of_halves<int16_t, uint8_t, 0>>();
    default:
      return high ? dot<of_halves<int16_t, int8_t, 2>>() : dot<of_halves<int16_t, int8_t, 0>>();
  }
}

}  // namespace parity::ptx
