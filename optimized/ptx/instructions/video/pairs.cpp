// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// add, min and max of two half-words, cvt.pack. Source: PTX ISA 9.0, sections 9.7.1.1, 9.7.1.12, 9.7.1.13 and 9.7.9.22.
#include <algorithm>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

template <class X, auto f>
uint32_t in_half_words(uint32_t a, uint32_t b) {
  const auto half = [](int32_t value) { return uint32_t{static_cast<uint16_t>(value)}; };
  return half(f(static_cast<X>(a >> 16U), static_cast<X>(b >> 16U))) << 16U |
         half(f(static_cast<X>(a), static_cast<X>(b)));
}
int32_t half_sum(int32_t a, int32_t b) { return a + b; }
int32_t least_of(int32_t a, int32_t b) { return std::min(a, b); }
int32_t most_of(int32_t a, int32_t b) { return std::max(a, b); }
int32_t least_positive(int32_t a, int32_t b) { return std::max(std::min(a, b), 0); }
int32_t most_positive(int32_t a, int32_t b) { return std::max(std::max(a, b), 0); }

template <class X, auto f>
Handler halved() {
  return &map2<uint32_t, uint32_t, uint32_t, in_half_words<X, f>>;
}

Handler half_words(Decoder& d, Step& step, bool with_sign) {
  d.need(3);
  d.same(step, Type::b32);
  if (d.is("add")) return halved<uint16_t, half_sum>();
  if (d.has("relu")) {
    if (!with_sign || !d.take("relu")) d.refuse("'.relu' is for .s32 and .s16x2");
    return d.is("min") ? halved<int16_t, least_positive>() : halved<int16_t, most_positive>();
  }
  if (d.is("min")) return with_sign ? halved<int16_t, least_of>() : halved<uint16_t, least_of>();
  return with_sign ? halved<int16_t, most_of>() : halved<uint16_t, most_of>();
}

/// d = a and b, each clamped to Step::count bits, a above b; above them what is left of c. Step::mode: signed.
void pack(Warp& warp, const Step& step) {
  const auto *a = warp.at<int32_t>(step.a), *b = warp.at<int32_t>(step.b);
  const uint32_t* c = warp.at<uint32_t>(step.c);
  const uint32_t bits = step.count, mask = ~uint32_t{0} >> (32 - bits);
  const auto most = static_cast<int32_t>(step.mode != 0 ? mask >> 1U : mask), least = step.mode != 0 ? -most - 1 : 0;
  uint32_t values[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint32_t high = static_cast<uint32_t>(std::clamp(a[l], least, most)) & mask;
    const uint32_t low = static_cast<uint32_t>(std::clamp(b[l], least, most)) & mask;
    values[l] = (bits < 16 ? c[l] << (2 * bits) : 0U) | high << bits | low;
  }
  put(warp, step.d, values);
}

Handler packing(Decoder& d, Step& step) {
  d.take("pack");
  if (!d.take("sat")) d.refuse("'.sat' is expected");
  const int wide = d.take_one({"u16", "s16"}),
            narrow = wide < 0 ? d.take_one({"u8", "s8", "u4", "s4", "u2", "s2"}) : -1;
  if (wide < 0 && narrow < 0) d.refuse("a type of 2, 4, 8 or 16 bits is expected");
  if (!d.take("s32")) d.refuse("operands of .s32 are expected");
  step.mode = static_cast<uint8_t>((wide >= 0 ? wide : narrow) % 2);
  step.count = static_cast<uint8_t>(wide >= 0 ? 16 : 8 >> (narrow / 2));
  if (wide < 0 && !d.take("b32")) d.refuse("'.b32' is expected for what is above the pair");
  d.need(wide >= 0 ? 3 : 4);
  d.same(step, Type::b32);
  if (wide >= 0) step.c = step.a;
  return &pack;
}

}  // namespace

Handler pair_group(Decoder& d, Step& step) {
  if (d.is("cvt") && d.has("pack")) return packing(d, step);
  if (!d.is("add") && !d.is("min") && !d.is("max")) return nullptr;
  const int type = d.take_one({"s16x2", "u16x2"});
  return type < 0 ? nullptr : half_words(d, step, type == 0);
}

}  // namespace parity::ptx
