// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// setp, selp, slct. Source: PTX ISA 9.0, sections 9.7.6 and 9.7.7.
#include "optimized/ptx/instructions/compare/relation.hpp"

namespace parity::ptx::comparing {
namespace {

template <class X, class Read, Relation r>
void set_predicate(Warp& warp, const Step& step) {
  const Mask value = compared<X, Read, r>(warp, step);
  const Mask no = joined(warp, step, ~value), yes = joined(warp, step, value);
  if (step.d2 != 0) put_predicate(warp, step.d2, no);
  put_predicate(warp, step.d, yes);
}
/// Of packed halves: d of the low ones, d2 of the high ones.
template <class Read, Relation r>
void set_two_predicates(Warp& warp, const Step& step) {
  const Mask low = joined(warp, step, compared_half<Read, r, 0>(warp, step));
  const Mask high = joined(warp, step, compared_half<Read, r, 16>(warp, step));
  put_predicate(warp, step.d, low);
  put_predicate(warp, step.d2, high);
}

template <class X, class Read, size_t... r>
Handler one(Relation relation, std::index_sequence<r...>) {
  static constexpr Handler kAll[] = {&set_predicate<X, Read, static_cast<Relation>(r)>...};
  return kAll[relation];
}
template <class Read, size_t... r>
Handler two(Relation relation, std::index_sequence<r...>) {
  static constexpr Handler kAll[] = {&set_two_predicates<Read, static_cast<Relation>(r)>...};
  return kAll[relation];
}

Handler predicate_of(Decoder& d, Step& step) {
  const Relation relation = take_relation(d);
  take_join(d, step, 3);
  const Type type = d.take_type();
  const bool ftz = take_flush(d, type);
  const Operand& result = d.operand(0);
  const bool pair = result.kind == Operand::Kind::pair;
  step.d = d.destination(pair ? result.parts.at(0) : result, Type::pred);
  if (pair) step.d2 = d.destination(result.parts.at(1), Type::pred);
  step.a = d.source(1, type);
  step.b = d.source(2, type);
  if (is_pair(type)) {
    if (!pair) d.refuse("two predicates p|q are expected");
    return of_pair(type, ftz, [&]<class Read>() -> Handler { return two<Read>(relation, kEvery); });
  }
  const Handler found =
      of_type(type, ftz, [&]<class X, class Read>() -> Handler { return one<X, Read>(relation, kEvery); });
  return found != nullptr ? found : (d.refuse("values of this type cannot be compared"), nullptr);
}

template <class U>
void select(Warp& warp, const Step& step) {
  const U *a = warp.at<U>(step.a), *b = warp.at<U>(step.b);
  const Mask which = *warp.at<Mask>(step.c);
  alignas(64) U values[kLanes];
  PARITY_LANES values[l] = chosen(which, l, a[l], b[l]);
  put(warp, step.d, values);
}

template <class U, class C, class Read>
void select_by_sign(Warp& warp, const Step& step) {
  const U *a = warp.at<U>(step.a), *b = warp.at<U>(step.b);
  const C* c = warp.at<C>(step.c);
  U values[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) values[l] = Read::of(c[l]) >= C{0} ? a[l] : b[l];
  put(warp, step.d, values);
}
template <class U>
Handler selected_by(Type by, bool ftz) {
  if (by == Type::s32) return &select_by_sign<U, int32_t, Plain>;
  return ftz ? &select_by_sign<U, float, Flushed> : &select_by_sign<U, float, Plain>;
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
  const bool ftz = by == Type::f32 && d.take("ftz");
  if (bytes_of(type) == 8) return selected_by<uint64_t>(by, ftz);
  return bytes_of(type) == 2 ? selected_by<uint16_t>(by, ftz) : selected_by<uint32_t>(by, ftz);
}

}  // namespace
}  // namespace parity::ptx::comparing

namespace parity::ptx {

Handler compare_group(Decoder& d, Step& step) {
  if (d.is("setp")) return comparing::predicate_of(d, step);
  if (d.is("selp") || d.is("slct")) return comparing::selection(d, step);
  return nullptr;
}

}  // namespace parity::ptx
