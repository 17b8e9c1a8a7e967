// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// set: ones or 1.0 where a comparison holds. Source: PTX ISA 9.0, sections 9.7.6.1 and 9.7.7.1.
#include "optimized/ptx/instructions/compare/relation.hpp"

namespace parity::ptx::comparing {
namespace {
using Test = Mask (*)(const Warp&, const Step&);

template <class X, class Read, size_t... r>
Mask tested(const Warp& warp, const Step& step, std::index_sequence<r...>) {
  static constexpr Test kTests[] = {&compared<X, Read, static_cast<Relation>(r)>...};
  return joined(warp, step, kTests[step.width](warp, step));
}
template <class Read, uint32_t by, size_t... r>
Mask tested_half(const Warp& warp, const Step& step, std::index_sequence<r...>) {
  static constexpr Test kTests[] = {&compared_half<Read, static_cast<Relation>(r), by>...};
  return joined(warp, step, kTests[step.width](warp, step));
}

/// Step::width is the relation, Step::immediate what a lane gets in which it holds.
template <class U, class X, class Read>
void set_value(Warp& warp, const Step& step) {
  const Mask value = tested<X, Read>(warp, step, kEvery);
  alignas(64) U values[kLanes];
  PARITY_LANES values[l] = has_lane(value, l) ? static_cast<U>(step.immediate) : U{0};
  put(warp, step.d, values);
}
template <class Read>
void set_pair(Warp& warp, const Step& step) {
  const Mask low = tested_half<Read, 0>(warp, step, kEvery), high = tested_half<Read, 16>(warp, step, kEvery);
  const auto yes = static_cast<uint32_t>(step.immediate);
  alignas(64) uint32_t values[kLanes];
  PARITY_LANES values[l] = (has_lane(low, l) ? yes : 0U) | (has_lane(high, l) ? yes << 16U : 0U);
  put(warp, step.d, values);
}

/// 1.0 of a real type, ones of an integer; of each half where halves are compared.
int64_t yes_of(Type result, bool pair) {
  switch (result) {
    case Type::f16:
    case Type::f16x2:
      return 0x3C00;
    case Type::bf16:
    case Type::bf16x2:
      return 0x3F80;
    case Type::f32:
      return 0x3F800000;
    default:
      return pair || bytes_of(result) == 2 ? 0xFFFF : 0xFFFFFFFF;
  }
}

void check_result(const Decoder& d, Type result, Type type) {
  const bool integer = result == Type::u32 || result == Type::s32;
  if (is_pair(type)) {
    if (!integer && result != type) d.refuse("a result of .u32, .s32 or the type of the operands is expected");
    return;
  }
  const bool of_half = type == Type::f16 || type == Type::bf16;
  const bool short_one = of_half && (result == Type::u16 || result == Type::s16);
  const bool known = integer || short_one || result == Type::f32 || result == Type::f16 || result == Type::bf16;
  if (!known) d.refuse("a result of .u32, .s32, .f32, .f16 or .bf16 is expected, of halves also .u16 or .s16");
}

Handler value_of(Decoder& d, Step& step) {
  const Relation relation = take_relation(d);
  take_join(d, step, 3);
  const Type result = d.take_type(), type = d.take_type();
  const bool pair = is_pair(type), ftz = take_flush(d, type);
  check_result(d, result, type);
  step.width = static_cast<uint8_t>(relation);
  step.immediate = yes_of(result, pair);
  step.d = d.destination(0, result);
  step.a = d.source(1, type);
  step.b = d.source(2, type);
  if (pair) return of_pair(type, ftz, []<class Read>() -> Handler { return &set_pair<Read>; });
  const bool narrow = bytes_of(result) == 2;
  const Handler found = of_type(type, ftz, [&]<class X, class Read>() -> Handler {
    return narrow ? &set_value<uint16_t, X, Read> : &set_value<uint32_t, X, Read>;
  });
  return found != nullptr ? found : (d.refuse("values of this type cannot be compared"), nullptr);
}

}  // namespace
}  // namespace parity::ptx::comparing

namespace parity::ptx {

Handler set_group(Decoder& d, Step& step) { return d.is("set") ? comparing::value_of(d, step) : nullptr; }

}  // namespace parity::ptx
