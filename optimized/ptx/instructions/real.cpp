// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic of binary32 and binary64, rounded to nearest even; approximations are those of libm, rounded, unless
// Options::approximation_seed asks for errors.
// Source: PTX ISA 9.0, section 9.7.3.
#include "optimized/ptx/instructions/real.hpp"

#include <algorithm>
#include <concepts>

#include "optimized/ptx/instructions/approximations.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

struct Add {
  template <class X>
  static X of(X a, X b) {
    return a + b;
  }
};
struct Subtract {
  template <class X>
  static X of(X a, X b) {
    return a - b;
  }
};
struct Multiply {
  template <class X>
  static X of(X a, X b) {
    return a * b;
  }
};
struct Divide {
  template <class X>
  static X of(X a, X b) {
    return a / b;
  }
};
struct Least {
  template <class X>
  static X of(X a, X b) {
    return least(a, b);
  }
};
struct Greatest {
  template <class X>
  static X of(X a, X b) {
    return greatest(a, b);
  }
};
struct LeastOrNan {
  template <class X>
  static X of(X a, X b) {
    return a != a || b != b ? a + b : least(a, b);
  }  // NOLINT(misc-redundant-expression)
};
struct GreatestOrNan {
  template <class X>
  static X of(X a, X b) {
    return a != a || b != b ? a + b : greatest(a, b);
  }  // NOLINT(misc-redundant-expression)
};
struct Fuse {
  static float of(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double of(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct Reciprocal {
  template <class X>
  static X of(X a) {
    return X{1} / a;
  }
};
struct Root {
  template <class X>
  static X of(X a) {
    return std::sqrt(a);
  }
};
struct InverseRoot {
  static float of(float a) { return static_cast<float>(1.0 / std::sqrt(double{a})); }
  static double of(double a) { return 1.0 / std::sqrt(a); }
};
struct PowerOfTwo {
  static float of(float a) { return std::exp2(a); }
};
struct Logarithm {
  static float of(float a) { return std::log2(a); }
};
struct Sine {
  static float of(float a) { return static_cast<float>(std::sin(double{a})); }
};
struct Cosine {
  static float of(float a) { return static_cast<float>(std::cos(double{a})); }
};
struct Tangent {
  static float of(float a) { return std::tanh(a); }
};

/// f32 with .ftz of operands and result, .sat of the result.
template <class F, bool ftz, bool sat, class... X>
float single(X... x) {
  const float value = native::result<false>(F::of((ftz ? flushed(x) : x)...));
  const float kept = ftz ? flushed(value) : value;
  return sat ? saturated(kept) : kept;
}
/// f64. Of several NaN an H100 takes the second factor, then what is added; of a quotient the dividend.
template <class F>
double of_one(double a) {
  return with_nan_of(F::of(a), a);
}
template <class F>
double of_two(double a, double b) {
  if constexpr (std::same_as<F, Divide>) return with_nan_of(F::of(a, b), b, a);
  return with_nan_of(F::of(a, b), a, b);
}
template <class F>
double of_three(double a, double b, double c) {
  return with_nan_of(F::of(a, b, c), a, c, b);
}

template <class F, bool ftz, bool sat>
Handler single_of(size_t operands) {
  if constexpr (requires(float x) { F::of(x); }) {
    if (operands == 2) return &map1<float, float, single<F, ftz, sat, float>>;
  }
  if constexpr (requires(float x) { F::of(x, x); }) {
    if (operands == 3) return &map2<float, float, float, single<F, ftz, sat, float, float>>;
  }
  if constexpr (requires(float x) { F::of(x, x, x); }) {
    if (operands == 4) return &map3<float, float, float, float, single<F, ftz, sat, float, float, float>>;
  }
  return nullptr;
}

template <class F>
Handler double_of(size_t operands) {
  if constexpr (requires(double x) {
                  { F::of(x) } -> std::same_as<double>;
                }) {
    if (operands == 2) return &map1<double, double, of_one<F>>;
  }
  if constexpr (requires(double x) { F::of(x, x); }) {
    if (operands == 3) return &map2<double, double, double, of_two<F>>;
  }
  if constexpr (requires(double x) { F::of(x, x, x); }) {
    if (operands == 4) return &map3<double, double, double, double, of_three<F>>;
  }
  return nullptr;
}

template <class F>
Handler shaped(Decoder& d, Step& step, Type type, size_t operands) {
  d.need(operands);
  d.same(step, type);
  const bool ftz = d.take("ftz"), sat = type == Type::f32 && d.take("sat");
  Handler result = nullptr;
  if (type == Type::f64) {
    if (ftz && !d.has("approx")) d.refuse("'.ftz' is for .f32");
    result = double_of<F>(operands);
  } else {
    result = ftz ? (sat ? single_of<F, true, true>(operands) : single_of<F, true, false>(operands))
                 : (sat ? single_of<F, false, true>(operands) : single_of<F, false, false>(operands));
  }
  if (result == nullptr) d.refuse("the machine has no arithmetic for this type");
  return result;
}

/// `value`, of a NaN a: the one that arithmetic gives, since neg and abs are additions of zero on a GPU.
template <class X>
X signless_nan(X a, X value) {
  if constexpr (std::same_as<X, double>) return with_nan_of(a == a ? value : a, a);
  return a == a ? value : native::kNaN<X>;
}

template <class X, class U>
Handler sign(Decoder& d) {
  constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
  if (d.is("neg"))
    return &map1<X, X, [](X a) { return signless_nan(a, std::bit_cast<X>(std::bit_cast<U>(a) ^ kSign)); }>;
  if (d.is("abs"))
    return &map1<X, X, [](X a) { return signless_nan(a, std::bit_cast<X>(std::bit_cast<U>(a) & ~kSign)); }>;
  return &map2<U, U, U, [](U a, U b) { return (b & ~kSign) | (a & kSign); }>;  // copysign: the sign of a, the rest of b
}

Handler real_signs(Decoder& d, Step& step, Type type) {
  d.need(d.is("copysign") ? 3 : 2);
  d.same(step, type);
  if (d.take("ftz"))
    return d.is("neg") ? &map1<float, float, [](float a) { return signless_nan(a, -flushed(a)); }>
                       : &map1<float, float, [](float a) { return signless_nan(a, std::fabs(flushed(a))); }>;
  return type == Type::f64 ? sign<double, uint64_t>(d) : sign<float, uint32_t>(d);
}

template <class X, class U, int mantissa>
void test(Warp& warp, const Step& step) {
  const U* a = warp.at<U>(step.a);
  constexpr U kSign = U{1} << (8 * sizeof(U) - 1), kUnit = U{1} << mantissa, kInfinite = kSign - kUnit;
  Mask result = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const U value = a[l] & ~kSign;
    const bool subnormal = value != 0 && value < kUnit;
    const std::array<bool, 6> is{value<kInfinite, value == kInfinite, value <= kInfinite, value> kInfinite,
                                 value < kInfinite && !subnormal, subnormal};  // of zero .normal holds on an H100
    result |= Mask{is[step.mode]} << l;
  }
  put_predicate(warp, step.d, result);
}

Handler tests(Decoder& d, Step& step) {
  d.need(2);
  const int which = d.take_one({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (which < 0) d.refuse("a property is expected");
  step.mode = static_cast<uint8_t>(which);
  const Type type = d.take_type();
  step.d = d.destination(0, Type::pred);
  step.a = d.source(1, type);
  return type == Type::f64 ? &test<double, uint64_t, 52> : &test<float, uint32_t, 23>;
}

template <class F, bool ftz, bool sat, size_t operands>
void approximated(Warp& warp, const Step& step) {
  if (warp.worker->machine.options.approximation_seed == 0) {
    single_of<F, ftz, sat>(operands)(warp, step);
  } else {
    approximate_lanes(warp, step, static_cast<Approximation>(step.mode), ftz, sat);
  }
}

/// .rn is as exact as it gets; .approx and .full may err.
template <class F, size_t operands = 2>
Handler approximation(Decoder& d, Step& step, Type type, Approximation function) {
  const int precision = d.take_one({"rn", "approx", "full"});
  if (precision < 0) d.refuse("'.rn', '.approx' or a rounding is expected");
  const bool ftz = d.has("ftz"), sat = d.has("sat");
  const Handler exact = shaped<F>(d, step, type, operands);
  if (precision == 0 || type == Type::f64) return exact;
  step.mode = static_cast<uint8_t>(precision == 2 ? Approximation::div_full : function);
  if (ftz) return sat ? &approximated<F, true, true, operands> : &approximated<F, true, false, operands>;
  return sat ? &approximated<F, false, true, operands> : &approximated<F, false, false, operands>;
}

Handler approximations(Decoder& d, Step& step, Type type) {
  if (d.is("rcp")) return approximation<Reciprocal>(d, step, type, Approximation::rcp);
  if (d.is("sqrt")) return approximation<Root>(d, step, type, Approximation::sqrt);
  if (d.is("rsqrt")) return approximation<InverseRoot>(d, step, type, Approximation::rsqrt);
  if (d.is("div")) return approximation<Divide, 3>(d, step, type, Approximation::div);
  if (d.is("ex2")) return approximation<PowerOfTwo>(d, step, type, Approximation::ex2);
  if (d.is("lg2")) return approximation<Logarithm>(d, step, type, Approximation::lg2);
  if (d.is("sin")) return approximation<Sine>(d, step, type, Approximation::sin);
  if (d.is("cos")) return approximation<Cosine>(d, step, type, Approximation::cos);
  if (d.is("tanh")) return approximation<Tangent>(d, step, type, Approximation::tanh);
  return nullptr;
}

}  // namespace

Handler real_group(Decoder& d, Step& step) {
  if (d.is("testp")) return tests(d, step);
  const Type type = d.peek_type();
  if (type != Type::f32 && type != Type::f64) return nullptr;
  static constexpr std::array kKnown{"add", "sub",  "mul",   "fma",      "mad", "div", "min", "max", "neg", "abs",
                                     "rcp", "sqrt", "rsqrt", "copysign", "ex2", "lg2", "sin", "cos", "tanh"};
  if (std::none_of(kKnown.begin(), kKnown.end(), [&](const char* name) { return d.is(name); })) return nullptr;
  d.take_type();
  if (d.is("neg") || d.is("abs") || d.is("copysign")) return real_signs(d, step, type);
  if (const Handler found = approximations(d, step, type); found != nullptr) return found;
  if (d.is("min")) return d.take("NaN") ? shaped<LeastOrNan>(d, step, type, 3) : shaped<Least>(d, step, type, 3);
  if (d.is("max")) return d.take("NaN") ? shaped<GreatestOrNan>(d, step, type, 3) : shaped<Greatest>(d, step, type, 3);
  d.take("rn");  // the default; other roundings stay and are refused
  if (d.is("add")) return shaped<Add>(d, step, type, 3);
  if (d.is("sub")) return shaped<Subtract>(d, step, type, 3);
  if (d.is("mul")) return shaped<Multiply>(d, step, type, 3);
  return shaped<Fuse>(d, step, type, 4);
}

}  // namespace parity::ptx
