// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// atom and red. Lanes take part one after the other. Source: PTX ISA 9.0, sections 9.7.13.
#include <atomic>
#include <bit>

#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/memory.hpp"
#include "optimized/ptx/instructions/real.hpp"
#include "optimized/ptx/number/native_half.hpp"

namespace parity::ptx {
namespace {

enum class AtomicOperation : uint8_t {
  add,
  least_,
  greatest_,
  conjunction,
  disjunction,
  difference,
  exchange,
  compare,
  increment,
  decrement
};

/// How the bits of a value are interpreted.
struct Unsigned {};
struct Signed {};
struct Real {};
struct GlobalReal {};  // in global memory
struct Halves {};
struct Bfloats {};
template <class Sort>
using InGlobal = std::conditional_t<std::is_same_v<Sort, Real>, GlobalReal, Sort>;

template <bool bfloat>
uint16_t half_result(AtomicOperation what, uint16_t a, uint16_t b) {
  using enum AtomicOperation;
  const double x = bfloat ? native::f32_of_bf16(a) : native::f32_of_f16(a),
               y = bfloat ? native::f32_of_bf16(b) : native::f32_of_f16(b);
  const double value = what == add ? native::fused_to_odd(x, 1.0, y) : what == least_ ? least(x, y) : greatest(x, y);
  return bfloat ? native::bf16_of_f32(native::to_odd(value)) : native::f16_of_f32(native::to_odd(value));
}

template <class U, class Sort>
U result_of(AtomicOperation what, U old, U operand) {
  constexpr bool global = std::is_same_v<Sort, GlobalReal>;
  if constexpr (std::is_same_v<Sort, Real> || global) {
    using X = std::conditional_t<sizeof(U) == 4, float, double>;
    const auto a = std::bit_cast<X>(operand), b = std::bit_cast<X>(old);
    if constexpr (global) return std::bit_cast<U>(sum_in_global(a, b));
    return std::bit_cast<U>(sum_of(a, b));
  } else if constexpr (std::is_same_v<Sort, Halves> || std::is_same_v<Sort, Bfloats>) {
    U result = 0;
    for (uint32_t by = 0; by < 8 * sizeof(U); by += 16)
      result =
          static_cast<U>(result | static_cast<U>(half_result<std::is_same_v<Sort, Bfloats>>(
                                      what, static_cast<uint16_t>(old >> by), static_cast<uint16_t>(operand >> by)))
                                      << by);
    return result;
  } else {
    using X = std::conditional_t<std::is_same_v<Sort, Signed>, std::make_signed_t<U>, U>;
    const auto a = static_cast<X>(old), b = static_cast<X>(operand);
    using enum AtomicOperation;
    switch (what) {
      case add:
        return static_cast<U>(old + operand);
      case least_:
        return static_cast<U>(b < a ? b : a);
      case greatest_:
        return static_cast<U>(a < b ? b : a);
      case conjunction:
        return old & operand;
      case disjunction:
        return old | operand;
      case difference:
        return old ^ operand;
      case increment:
        return old >= operand ? U{0} : static_cast<U>(old + 1);
      case decrement:
        return old == 0 || old > operand ? operand : static_cast<U>(old - 1);
      default:
        return operand;
    }
  }
}

template <class U, class Sort>
U change(uint8_t* at, AtomicOperation what, U operand, U replacement) {
  std::atomic_ref<U> place(*reinterpret_cast<U*>(at));
  U old = place.load();
  while (true) {
    const U fresh = what == AtomicOperation::compare ? (old == operand ? replacement : old)
                                                     : result_of<U, Sort>(what, old, operand);
    if (place.compare_exchange_weak(old, fresh)) return old;
  }
}

/// Each of Step::count elements by itself: lists hold results, then operands; c is what cas stores.
template <class U, class Sort>
void update(Warp& warp, const Step& step) {
  Lanes lanes;
  const uint32_t bytes = sizeof(U) * step.count;
  const Mask ok = reach(warp, step, lanes, bytes, Intent::update);
  const uint32_t* results = warp.frame->code->lists.data() + step.list;
  const uint32_t* operands = warp.frame->code->lists.data() + step.list2;
  const U* replacement = warp.at<U>(step.c);
  uint64_t seen = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(warp.mask, l)) continue;
    if (has_lane(ok, l) && warp.checks) {
      if (observe_read(warp, step, lanes, l, bytes)) observe_write(warp, step, lanes, l, bytes, false);
      learn(warp, step, lanes, l);
      publish(warp, step, lanes, l, false);
    }
    for (uint32_t i = 0; i < step.count; ++i) {
      const U operand = warp.at<U>(operands[i])[l], stored = replacement[l];
      const auto apply = has_lane(lanes.global, l) ? &change<U, InGlobal<Sort>> : &change<U, Sort>;
      const U old = has_lane(ok, l)
                        ? apply(lanes.host[l] + i * sizeof(U), static_cast<AtomicOperation>(step.mode), operand, stored)
                        : U{0};
      if (step.mode2 != 0) warp.at<U>(results[i])[l] = old;
      seen = seen * 31 + static_cast<uint64_t>(old);
    }
  }
  if (step.mode2 != 0) warp.poll(step, seen);
}

Handler handler_of(Decoder& d, Type type, AtomicOperation what) {
  using enum AtomicOperation;
  const bool bits = what >= conjunction && what <= compare;
  const bool ordered = what == add || what == least_ || what == greatest_;
  switch (type) {
    case Type::b16:
      if (what == exchange || what == compare) return &update<uint16_t, Unsigned>;
      break;
    case Type::b32:
      if (bits) return &update<uint32_t, Unsigned>;
      break;
    case Type::b64:
      if (bits) return &update<uint64_t, Unsigned>;
      break;
    case Type::u32:
      if (ordered || bits || what >= increment) return &update<uint32_t, Unsigned>;
      break;
    case Type::u64:
      if (ordered || bits) return &update<uint64_t, Unsigned>;
      break;
    case Type::s32:
      if (ordered || bits) return &update<uint32_t, Signed>;
      break;
    case Type::s64:
      if (ordered || bits) return &update<uint64_t, Signed>;
      break;
    case Type::f32:
      if (what == add) return &update<uint32_t, Real>;
      break;
    case Type::f64:
      if (what == add) return &update<uint64_t, Real>;
      break;
    case Type::f16:
      if (ordered) return &update<uint16_t, Halves>;
      break;
    case Type::bf16:
      if (ordered) return &update<uint16_t, Bfloats>;
      break;
    case Type::f16x2:
      if (ordered) return &update<uint32_t, Halves>;
      break;
    case Type::bf16x2:
      if (ordered) return &update<uint32_t, Bfloats>;
      break;
    default:
      break;
  }
  d.refuse("this operation is not known of this type");
}

std::vector<uint32_t> offsets(Decoder& d, const Operand& operand, Type type, bool result) {
  const std::vector<Operand> alone{operand};
  const auto& all = operand.kind == Operand::Kind::vector ? operand.parts : alone;
  std::vector<uint32_t> list;
  for (const Operand& each : all) list.push_back(result ? d.destination(each, type) : d.source(each, type));
  return list;
}

}  // namespace

Handler atomic_group(Decoder& d, Step& step) {
  const bool returns = d.is("atom");
  if ((!returns && !d.is("red")) || d.has("async")) return nullptr;
  step.strength = Strength::relaxed;
  take_order(d, step);
  step.space = take_space(d);
  const int what = d.take_one({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  if (what < 0) d.refuse("an operation is expected");
  const auto operation = static_cast<AtomicOperation>(what);
  d.take("noftz");
  const int vector = d.take_one({"v2", "v4", "v8"});
  const Type type = d.take_type();
  const size_t first = returns ? 1 : 0;
  const bool policy = d.take("L2::cache_hint");
  d.need(first + (operation == AtomicOperation::compare ? 3 : 2) + (policy ? 1 : 0));
  d.address(step, d.operand(first));
  step.mode = static_cast<uint8_t>(what);
  step.mode2 = returns ? 1 : 0;
  step.width = static_cast<uint8_t>(bytes_of(type));
  const std::vector<uint32_t> operands = offsets(d, d.operand(first + 1), type, false);
  step.count = static_cast<uint8_t>(operands.size());
  if (operands.size() != (vector < 0 ? 1U : 2U << vector)) d.refuse("as many registers as the vector has are expected");
  step.list2 = d.list(operands);
  if (returns) step.list = d.list(offsets(d, d.operand(0), type, true));
  if (operation == AtomicOperation::compare) step.c = d.source(first + 2, type);
  return handler_of(d, type, operation);
}

}  // namespace parity::ptx
