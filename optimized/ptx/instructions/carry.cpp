// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sums and products of many words: .cc leaves a carry, addc, subc and madc take it. Source: PTX ISA 9.0, section 9.7.2.
#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

enum Mode : uint8_t { takes = 1, leaves = 2 };

/// d = a + b + carry, or a + ~b + carry: the carry of a difference is "no borrow" within, a borrow in CC.CF.
template <class U, bool difference>
void sum(Warp& warp, const Step& step) {
  const U *a = warp.at<U>(step.a), *b = warp.at<U>(step.b);
  U values[kLanes];
  Mask carry = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const U in = (step.mode & takes) != 0 && has_lane(warp.carry, l) ? 1 : 0;
    const U first = difference ? static_cast<U>(a[l] - b[l]) : static_cast<U>(a[l] + b[l]);
    values[l] = difference ? static_cast<U>(first - in) : static_cast<U>(first + in);
    const bool over = difference ? a[l] < b[l] || first < in : first < a[l] || values[l] < first;
    carry |= Mask{over} << l;
  }
  put(warp, step.d, values);
  if ((step.mode & leaves) != 0) warp.carry = (warp.carry & ~warp.mask) | (carry & warp.mask);
}

__extension__ typedef __int128 Signed128;
__extension__ typedef unsigned __int128 Unsigned128;

template <class X, bool high>
void product(Warp& warp, const Step& step) {
  using U = std::make_unsigned_t<X>;
  using W = std::conditional_t<sizeof(X) == 4, std::conditional_t<std::is_signed_v<X>, int64_t, uint64_t>,
                               std::conditional_t<std::is_signed_v<X>, Signed128, Unsigned128>>;
  const X *a = warp.at<X>(step.a), *b = warp.at<X>(step.b);
  const U* c = warp.at<U>(step.c);
  U values[kLanes];
  Mask carry = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const W whole = static_cast<W>(a[l]) * static_cast<W>(b[l]);
    const auto part = static_cast<U>(high ? whole >> (8 * sizeof(X)) : whole);
    const U in = (step.mode & takes) != 0 && has_lane(warp.carry, l) ? 1 : 0;
    const U first = part + c[l];
    values[l] = first + in;
    carry |= Mask{first < part || values[l] < first} << l;
  }
  put(warp, step.d, values);
  if ((step.mode & leaves) != 0) warp.carry = (warp.carry & ~warp.mask) | (carry & warp.mask);
}

Handler sums(Decoder& d, Type type) {
  const bool difference = d.name().starts_with("sub");
  if (bytes_of(type) == 8) return difference ? &sum<uint64_t, true> : &sum<uint64_t, false>;
  return difference ? &sum<uint32_t, true> : &sum<uint32_t, false>;
}

Handler products(Decoder& d, Type type) {
  const bool high = d.take("hi");
  if (!high && !d.take("lo")) d.refuse("'.lo' or '.hi' is expected");
  const auto of = [high]<class X>() -> Handler { return high ? &product<X, true> : &product<X, false>; };
  switch (type) {
    case Type::s32:
      return of.operator()<int32_t>();
    case Type::s64:
      return of.operator()<int64_t>();
    case Type::u64:
      return of.operator()<uint64_t>();
    default:
      return of.operator()<uint32_t>();
  }
}

}  // namespace

Handler carry_group(Decoder& d, Step& step) {
  const bool takes_carry = d.is("addc") || d.is("subc") || d.is("madc");
  if (!takes_carry && !(d.has("cc") && (d.is("add") || d.is("sub") || d.is("mad")))) return nullptr;
  const Type type = d.take_type();
  if (!is_integer(type) || bytes_of(type) < 4) d.refuse("an integer of 32 or 64 bits is expected");
  step.mode = static_cast<uint8_t>((takes_carry ? takes : 0) | (d.take("cc") ? leaves : 0));
  const bool multiplies = d.name().starts_with("mad");
  d.need(multiplies ? 4 : 3);
  d.same(step, type);
  return multiplies ? products(d, type) : sums(d, type);
}

}  // namespace parity::ptx
