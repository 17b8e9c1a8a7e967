// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic of binary16 and bfloat16, packed or not: exact in binary64, rounded to nearest even once.
// Source: PTX ISA 9.0, section 9.7.4.
#include <algorithm>

#include "optimized/ptx/instructions/approximations.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/real.hpp"
#include "optimized/ptx/number/native_half.hpp"

namespace parity::ptx {
namespace {

enum After : uint8_t { nothing, saturate, rectify };

struct Sum {
  static double of(double a, double b, double) { return native::fused_to_odd(a, 1.0, b); }
};
struct Difference {
  static double of(double a, double b, double) { return native::fused_to_odd(a, 1.0, -b); }
};
struct Product {
  static double of(double a, double b, double) { return a * b; }
};
struct Fused {
  static double of(double a, double b, double c) { return native::fused_to_odd(a, b, c); }
};
struct Lower {
  static double of(double a, double b, double) { return least(a, b); }
};
struct Higher {
  static double of(double a, double b, double) { return greatest(a, b); }
};
struct LowerOrNan {
  static double of(double a, double b, double) { return std::isnan(a) || std::isnan(b) ? NAN : least(a, b); }
};
struct HigherOrNan {
  static double of(double a, double b, double) { return std::isnan(a) || std::isnan(b) ? NAN : greatest(a, b); }
};

template <bool bfloat>
double wide_half(uint16_t value, bool ftz) {
  if (ftz && (value & 0x7C00U) == 0) value &= 0x8000U;
  return bfloat ? native::f32_of_bf16(value) : native::f32_of_f16(value);
}

template <bool bfloat>
uint16_t narrowed(double value, uint8_t after, bool ftz) {
  float single = native::to_odd(value);
  if (after == saturate) single = saturated(single);
  if (after == rectify) single = single > 0.0F || std::isnan(single) ? single : 0.0F;
  uint16_t result = bfloat ? native::bf16_of_f32(single) : native::f16_of_f32(single);
  if (ftz && (result & 0x7C00U) == 0) result &= 0x8000U;
  return result;
}

template <class F, bool bfloat, bool pair>
void compute(Warp& warp, const Step& step) {
  using U = std::conditional_t<pair, uint32_t, uint16_t>;
  const U *a = warp.at<U>(step.a), *b = warp.at<U>(step.b), *c = warp.at<U>(step.c);
  const uint8_t after = step.mode;
  const bool ftz = step.mode2 != 0;
  U values[kLanes] = {};
  for (uint32_t part = 0; part < (pair ? 2U : 1U); ++part) {
    const uint32_t by = 16 * part;
    PARITY_LANES {
      const double x = wide_half<bfloat>(static_cast<uint16_t>(a[l] >> by), ftz);
      const double y = wide_half<bfloat>(static_cast<uint16_t>(b[l] >> by), ftz);
      const double z = wide_half<bfloat>(static_cast<uint16_t>(c[l] >> by), ftz);
      values[l] = static_cast<U>(values[l] | uint32_t{narrowed<bfloat>(F::of(x, y, z), after, ftz)} << by);
    }
  }
  put(warp, step.d, values);
}

template <class F>
Handler shaped(Decoder& d, Step& step, Type type) {
  step.mode = d.take("sat") ? saturate : d.take("relu") ? rectify : nothing;
  const bool bfloat = type == Type::bf16 || type == Type::bf16x2;
  step.mode2 = !bfloat && d.take("ftz") ? 1 : 0;
  switch (type) {
    case Type::f16:
      return &compute<F, false, false>;
    case Type::bf16:
      return &compute<F, true, false>;
    case Type::f16x2:
      return &compute<F, false, true>;
    default:
      return &compute<F, true, true>;
  }
}

/// neg and abs are additions of zero on a GPU: a NaN becomes the canonical one.
template <bool bfloat, bool ftz, bool negates>
uint16_t with_sign(uint16_t code) {
  const auto magnitude = static_cast<uint16_t>(code & 0x7FFFU);
  const uint32_t sign = negates ? (code ^ 0x8000U) & 0x8000U : 0U;
  const uint32_t kept = ftz && magnitude < 0x400U ? 0U : magnitude;
  return static_cast<uint16_t>(magnitude > (bfloat ? 0x7F80U : 0x7C00U) ? 0x7FFFU : sign | kept);
}
template <auto f>
uint32_t both(uint32_t pair) {
  return uint32_t{f(static_cast<uint16_t>(pair >> 16U))} << 16U | f(static_cast<uint16_t>(pair));
}
template <bool bfloat, bool ftz>
Handler signs_of(const Decoder& d, Type type) {
  constexpr auto opposite = with_sign<bfloat, ftz, true>, positive = with_sign<bfloat, ftz, false>;
  if (bytes_of(type) == 4)
    return d.is("neg") ? &map1<uint32_t, uint32_t, both<opposite>> : &map1<uint32_t, uint32_t, both<positive>>;
  return d.is("neg") ? &map1<uint16_t, uint16_t, opposite> : &map1<uint16_t, uint16_t, positive>;
}

Handler half_signs(Decoder& d, Step& step, Type type) {
  d.need(2);
  d.same(step, type);
  const bool bfloat = type == Type::bf16 || type == Type::bf16x2;
  if (d.take("ftz")) {
    if (bfloat) d.refuse("'.ftz' is only for .f16 and .f32");
    return signs_of<false, true>(d, type);
  }
  return bfloat ? signs_of<true, false>(d, type) : signs_of<false, false>(d, type);
}

}  // namespace

Handler half_group(Decoder& d, Step& step) {
  if (const Handler found = half_approximations(d, step); found != nullptr) return found;
  const Type type = d.peek_type();
  static constexpr std::array kKnown{"add", "sub", "mul", "fma", "min", "max", "neg", "abs"};
  if (!is_half(type) || std::none_of(kKnown.begin(), kKnown.end(), [&](const char* name) { return d.is(name); }))
    return nullptr;
  d.take_type();
  if (d.is("neg") || d.is("abs")) return half_signs(d, step, type);
  d.need(d.is("fma") ? 4 : 3);
  d.same(step, type);
  if (!d.is("fma")) step.c = step.a;
  if (d.is("min")) return d.take("NaN") ? shaped<LowerOrNan>(d, step, type) : shaped<Lower>(d, step, type);
  if (d.is("max")) return d.take("NaN") ? shaped<HigherOrNan>(d, step, type) : shaped<Higher>(d, step, type);
  d.take("rn");
  if (d.is("add")) return shaped<Sum>(d, step, type);
  if (d.is("sub")) return shaped<Difference>(d, step, type);
  return d.is("mul") ? shaped<Product>(d, step, type) : shaped<Fused>(d, step, type);
}

}  // namespace parity::ptx
