// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// setp, set, selp, slct. Source: PTX ISA 9.0, sections 9.7.6 and 9.7.7.
#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/real.hpp"
#include "optimized/ptx/number/native_half.hpp"

namespace parity::ptx {
namespace {

enum Relation : uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan_, relations };
enum class Join : uint8_t { alone, conjunction, disjunction, difference };
constexpr uint8_t kJoinsNegated = 4;  // of Step::mode2: the predicate that is joined with

template <Relation r, class X>
bool holds(X a, X b) {
  const bool unordered = a != a || b != b;  // NOLINT(misc-redundant-expression): a NaN
  switch (r) {
    case eq:
      return a == b;
    case ne:
      return !unordered && a != b;
    case lt:
      return a < b;
    case le:
      return a <= b;
    case gt:
      return a > b;
    case ge:
      return a >= b;
    case equ:
      return unordered || a == b;
    case neu:
      return a != b;
    case ltu:
      return unordered || a < b;
    case leu:
      return unordered || a <= b;
    case gtu:
      return unordered || a > b;
    case geu:
      return unordered || a >= b;
    case num:
      return !unordered;
    default:
      return unordered;
  }
}

/// How a register's value is compared: as it is, flushed, or as the number that a half stands for.
struct Plain {
  template <class X>
  static X of(X value) {
    return value;
  }
};
struct Flushed {
  static float of(float value) { return flushed(value); }
};
struct FlushedHalf {
  static float of(uint16_t value) {
    return native::f32_of_f16((value & 0x7C00U) == 0 ? static_cast<uint16_t>(value & 0x8000U) : value);
  }
};
struct Half {
  static float of(uint16_t value) { return native::f32_of_f16(value); }
};
struct Bfloat {
  static float of(uint16_t value) { return native::f32_of_bf16(value); }
};

template <class X, class Read, Relation r>
Mask compared(const X* a, const X* b) {
  Mask result = 0;
  PARITY_LANES result |= Mask{holds<r>(Read::of(a[l]), Read::of(b[l]))} << l;
  return result;
}

Mask joined(const Warp& warp, const Step& step, Mask value) {
  const Mask other = *warp.at<Mask>(step.c) ^ ((step.mode2 & kJoinsNegated) != 0 ? kAllLanes : 0);
  switch (static_cast<Join>(step.mode2 & 3U)) {
    case Join::conjunction:
      return value & other;
    case Join::disjunction:
      return value | other;
    case Join::difference:
      return value ^ other;
    default:
      return value;
  }
}

template <class X, class Read, Relation r>
void set_predicate(Warp& warp, const Step& step) {
  const Mask value = compared<X, Read, r>(warp.at<X>(step.a), warp.at<X>(step.b));
  const Mask no = joined(warp, step, ~value), yes = joined(warp, step, value);
  if (step.d2 != 0) put_predicate(warp, step.d2, no);
  put_predicate(warp, step.d, yes);
}

/// setp of packed halves: d of the low ones, d2 of the high ones.
template <class, class Read, Relation r>
void set_two_predicates(Warp& warp, const Step& step) {
  const auto *a = warp.at<uint32_t>(step.a), *b = warp.at<uint32_t>(step.b);
  Mask low = 0, high = 0;
  PARITY_LANES {
    low |= Mask{holds<r>(Read::of(static_cast<uint16_t>(a[l])), Read::of(static_cast<uint16_t>(b[l])))} << l;
    high |= Mask{holds<r>(Read::of(static_cast<uint16_t>(a[l] >> 16U)), Read::of(static_cast<uint16_t>(b[l] >> 16U)))}
            << l;
  }
  const Mask second = joined(warp, step, high);
  put_predicate(warp, step.d, joined(warp, step, low));
  put_predicate(warp, step.d2, second);
}

/// set: ones, or 1.0 (step.mode).
template <class X, class Read, Relation r>
void set_value(Warp& warp, const Step& step) {
  const Mask value = joined(warp, step, compared<X, Read, r>(warp.at<X>(step.a), warp.at<X>(step.b)));
  const uint32_t yes = step.mode != 0 ? 0x3F800000U : ~uint32_t{0};
  alignas(64) uint32_t values[kLanes];
  PARITY_LANES values[l] = has_lane(value, l) ? yes : 0;
  put(warp, step.d, values);
}

template <class X, class Read, size_t... r>
Handler shaped(int what, Relation relation, std::index_sequence<r...>) {
  static constexpr Handler kPredicates[] = {&set_predicate<X, Read, static_cast<Relation>(r)>...};
  static constexpr Handler kValues[] = {&set_value<X, Read, static_cast<Relation>(r)>...};
  return what == 0 ? kPredicates[relation] : kValues[relation];
}
template <class X, class Read>
Handler of_type(int what, Relation relation) {
  return shaped<X, Read>(what, relation, std::make_index_sequence<relations>());
}
template <class Read, size_t... r>
Handler packed(Relation relation, std::index_sequence<r...>) {
  static constexpr Handler kAll[] = {&set_two_predicates<uint32_t, Read, static_cast<Relation>(r)>...};
  return kAll[relation];
}

Handler handler_of(Decoder& d, int what, Relation relation, Type type, bool ftz) {
  switch (type) {
    case Type::b16:
    case Type::u16:
      return of_type<uint16_t, Plain>(what, relation);
    case Type::s16:
      return of_type<int16_t, Plain>(what, relation);
    case Type::b32:
    case Type::u32:
      return of_type<uint32_t, Plain>(what, relation);
    case Type::s32:
      return of_type<int32_t, Plain>(what, relation);
    case Type::b64:
    case Type::u64:
      return of_type<uint64_t, Plain>(what, relation);
    case Type::s64:
      return of_type<int64_t, Plain>(what, relation);
    case Type::f32:
      return ftz ? of_type<float, Flushed>(what, relation) : of_type<float, Plain>(what, relation);
    case Type::f64:
      return of_type<double, Plain>(what, relation);
    case Type::f16:
      return ftz ? of_type<uint16_t, FlushedHalf>(what, relation) : of_type<uint16_t, Half>(what, relation);
    case Type::bf16:
      return of_type<uint16_t, Bfloat>(what, relation);
    case Type::f16x2:
      return ftz ? packed<FlushedHalf>(relation, std::make_index_sequence<relations>())
                 : packed<Half>(relation, std::make_index_sequence<relations>());
    case Type::bf16x2:
      return packed<Bfloat>(relation, std::make_index_sequence<relations>());
    default:
      d.refuse("this type is not compared");
  }
}

Relation take_relation(Decoder& d) {
  static constexpr std::array kNames{"eq",  "ne",  "lt",  "le",  "gt",  "ge", "equ", "neu", "ltu",
                                     "leu", "gtu", "geu", "num", "nan", "lo", "ls",  "hi",  "hs"};
  static constexpr std::array kRelations{eq,  ne,  lt,  le,  gt,   ge, equ, neu, ltu,
                                         leu, gtu, geu, num, nan_, lt, le,  gt,  ge};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (d.take(kNames.at(i))) return kRelations.at(i);
  }
  d.refuse("a comparison is expected");
}

void take_join(Decoder& d, Step& step, size_t operand) {
  const int join = d.take_one({"and", "or", "xor"});
  d.need(join < 0 ? operand : operand + 1);
  if (join < 0) return;
  step.c = d.source(operand, Type::pred);
  step.mode2 = static_cast<uint8_t>(join + 1 + (d.operand(operand).negated ? kJoinsNegated : 0));
}

Handler predicate_of(Decoder& d, Step& step) {
  const Relation relation = take_relation(d);
  take_join(d, step, 3);
  const Type type = d.take_type();
  const bool ftz = d.take("ftz");
  const Operand& result = d.operand(0);
  const bool pair = result.kind == Operand::Kind::pair;
  step.d = d.destination(pair ? result.parts.at(0) : result, Type::pred);
  if (pair) step.d2 = d.destination(result.parts.at(1), Type::pred);
  step.a = d.source(1, type);
  step.b = d.source(2, type);
  if (ftz && (type == Type::bf16 || type == Type::bf16x2)) d.refuse("'.ftz' is of .f16 and .f32");
  const bool two = type == Type::f16x2 || type == Type::bf16x2;
  if (two && !pair) d.refuse("two predicates p|q are expected");
  return handler_of(d, 0, relation, type, ftz);
}

Handler value_of(Decoder& d, Step& step) {
  const Relation relation = take_relation(d);
  take_join(d, step, 3);
  const Type result = d.take_type(), type = d.take_type();
  if (bytes_of(result) != 4 || is_half(result) || type == Type::f16x2 || type == Type::bf16x2)
    d.refuse("a result of .u32, .s32 or .f32 is expected");
  step.mode = result == Type::f32 ? 1 : 0;
  step.d = d.destination(0, result);
  step.a = d.source(1, type);
  step.b = d.source(2, type);
  return handler_of(d, 1, relation, type, d.take("ftz"));
}

template <class U>
void select(Warp& warp, const Step& step) {
  const U *a = warp.at<U>(step.a), *b = warp.at<U>(step.b);
  const Mask which = *warp.at<Mask>(step.c);
  alignas(64) U values[kLanes];
  PARITY_LANES values[l] = chosen(which, l, a[l], b[l]);
  put(warp, step.d, values);
}

template <class U, class C>
void select_by_sign(Warp& warp, const Step& step) {
  const U *a = warp.at<U>(step.a), *b = warp.at<U>(step.b);
  const C* c = warp.at<C>(step.c);
  U values[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) values[l] = c[l] >= C{0} ? a[l] : b[l];
  put(warp, step.d, values);
}

Handler selection(Decoder& d, Step& step) {
  d.need(4);
  const Type type = d.take_type();
  step.d = d.destination(0, type);
  step.a = d.source(1, type);
  step.b = d.source(2, type);
  if (d.is("selp")) {
    step.c = d.source(3, Type::pred);
    if (d.operand(3).negated) std::swap(step.a, step.b);
    return bytes_of(type) == 2 ? &select<uint16_t> : bytes_of(type) == 4 ? &select<uint32_t> : &select<uint64_t>;
  }
  const Type by = d.take_type();
  if (by != Type::s32 && by != Type::f32) d.refuse("a choice by .s32 or .f32 is expected");
  step.c = d.source(3, by);
  if (by == Type::f32 && d.has("ftz")) d.refuse("'.ftz' is not known here");
  if (bytes_of(type) == 8)
    return by == Type::s32 ? &select_by_sign<uint64_t, int32_t> : &select_by_sign<uint64_t, float>;
  if (bytes_of(type) == 2)
    return by == Type::s32 ? &select_by_sign<uint16_t, int32_t> : &select_by_sign<uint16_t, float>;
  return by == Type::s32 ? &select_by_sign<uint32_t, int32_t> : &select_by_sign<uint32_t, float>;
}

}  // namespace

Handler compare_group(Decoder& d, Step& step) {
  if (d.is("setp")) return predicate_of(d, step);
  if (d.is("set")) return value_of(d, step);
  if (d.is("selp") || d.is("slct")) return selection(d, step);
  return nullptr;
}

}  // namespace parity::ptx
