// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// and, or, xor, not, cnot, shl, shr, lop3, of integers and predicates. Source: PTX ISA 9.0, section 9.7.8.
#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

enum class PredicateOperation : uint8_t { conjunction, disjunction, difference, negation };

/// Of predicates: a word is all lanes.
template <PredicateOperation what>
void predicates(Warp& warp, const Step& step) {
  using enum PredicateOperation;
  const Mask a = *warp.at<Mask>(step.a), b = *warp.at<Mask>(step.b);
  put_predicate(warp, step.d,
                what == conjunction   ? a & b
                : what == disjunction ? a | b
                : what == difference  ? a ^ b
                                      : ~a);
}

template <class X>
X left(X a, uint32_t by) {
  return by >= 8 * sizeof(X) ? X{0} : static_cast<X>(a << by);
}
template <class X>
X right(X a, uint32_t by) {
  constexpr uint32_t kMost = 8 * sizeof(X) - 1;
  if (std::is_signed_v<X>) return static_cast<X>(a >> std::min(by, kMost));
  return by > kMost ? X{0} : static_cast<X>(a >> by);
}

/// Every bit from a table of eight, immLut. Source: section 9.7.8.6.
void table(Warp& warp, const Step& step) {
  const auto *a = warp.at<uint32_t>(step.a), *b = warp.at<uint32_t>(step.b), *c = warp.at<uint32_t>(step.c);
  uint32_t term[8];
  for (uint32_t i = 0; i < 8; ++i) term[i] = (step.mode >> i & 1U) != 0 ? ~uint32_t{0} : 0;
  alignas(64) uint32_t values[kLanes];
  PARITY_LANES {
    const uint32_t x = a[l], y = b[l], z = c[l];
    const uint32_t low = (~y & ((~z & term[0]) | (z & term[1]))) | (y & ((~z & term[2]) | (z & term[3])));
    const uint32_t high = (~y & ((~z & term[4]) | (z & term[5]))) | (y & ((~z & term[6]) | (z & term[7])));
    values[l] = (~x & low) | (x & high);
  }
  put(warp, step.d, values);
}

/// lop3 with a predicate: d|p = table(...) != 0, and p joined with q.
template <bool both>
void table_and_predicate(Warp& warp, const Step& step) {
  table(warp, step);
  const auto *a = warp.at<uint32_t>(step.a), *b = warp.at<uint32_t>(step.b), *c = warp.at<uint32_t>(step.c);
  Mask some = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    uint32_t any = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      if ((step.mode >> i & 1U) == 0) continue;
      any |= ((i & 4U) != 0 ? a[l] : ~a[l]) & ((i & 2U) != 0 ? b[l] : ~b[l]) & ((i & 1U) != 0 ? c[l] : ~c[l]);
    }
    some |= Mask{any != 0} << l;
  }
  const Mask q = *warp.at<Mask>(step.e) ^ (step.mode2 != 0 ? kAllLanes : 0);
  put_predicate(warp, step.d2, both ? some & q : some | q);
}

Handler shifts(Decoder& d, Step& step, Type type) {
  d.need(3);
  step.d = d.destination(0, type);
  step.a = d.source(1, type);
  step.b = d.source(2, Type::u32);
  if (d.is("shl")) return of_integers(type, []<class X>() -> Handler { return &map2<X, X, uint32_t, left<X>>; });
  return of_integers(type, []<class X>() -> Handler { return &map2<X, X, uint32_t, right<X>>; });
}

Handler tables(Decoder& d, Step& step) {
  d.take_type();
  const int join = d.take_one({"and", "or"});
  d.need(join < 0 ? 5 : 6);
  const Operand& result = d.operand(0);
  if ((result.kind == Operand::Kind::pair) != (join >= 0)) d.refuse("'d|p' is expected with .and and .or alone");
  step.d = d.destination(join < 0 ? result : result.parts.at(0), Type::b32);
  step.a = d.source(1, Type::b32);
  step.b = d.source(2, Type::b32);
  step.c = d.source(3, Type::b32);
  if (d.operand(4).kind != Operand::Kind::integer || d.operand(4).bits > 255)
    d.refuse("a table of 0 to 255 is expected");
  step.mode = static_cast<uint8_t>(d.operand(4).bits);
  if (join < 0) return &table;
  step.d2 = d.destination(result.parts.at(1), Type::pred);
  step.e = d.source(5, Type::pred);
  step.mode2 = d.operand(5).negated ? 1 : 0;
  return join == 0 ? &table_and_predicate<true> : &table_and_predicate<false>;
}

template <class U>
U conjoined(U a, U b) {
  return a & b;
}
template <class U>
U disjoined(U a, U b) {
  return a | b;
}
template <class U>
U differing(U a, U b) {
  return a ^ b;
}

Handler word_logic(Decoder& d, Type type) {
  const auto of = [&]<class U>() -> Handler {
    if (d.is("and")) return &map2<U, U, U, conjoined<U>>;
    if (d.is("or")) return &map2<U, U, U, disjoined<U>>;
    if (d.is("xor")) return &map2<U, U, U, differing<U>>;
    if (d.is("not")) return &map1<U, U, [](U a) { return static_cast<U>(~a); }>;
    return &map1<U, U, [](U a) { return static_cast<U>(a == 0 ? 1 : 0); }>;
  };
  switch (bytes_of(type)) {
    case 2:
      return of.operator()<uint16_t>();
    case 4:
      return of.operator()<uint32_t>();
    case 8:
      return of.operator()<uint64_t>();
    default:
      return nullptr;
  }
}

}  // namespace

Handler logic_group(Decoder& d, Step& step) {
  if (d.is("lop3")) return tables(d, step);
  if (d.is("shl") || d.is("shr")) return shifts(d, step, d.take_type());
  const bool one = d.is("not") || d.is("cnot");
  if (!one && !d.is("and") && !d.is("or") && !d.is("xor")) return nullptr;
  const Type type = d.take_type();
  d.need(one ? 2 : 3);
  d.same(step, type);
  if (type != Type::pred) return word_logic(d, type);
  if (d.is("and")) return &predicates<PredicateOperation::conjunction>;
  if (d.is("or")) return &predicates<PredicateOperation::disjunction>;
  if (d.is("xor")) return &predicates<PredicateOperation::difference>;
  if (d.is("not")) return &predicates<PredicateOperation::negation>;
  return nullptr;
}

}  // namespace parity::ptx
