// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Instructions that lanes of a warp do together. Source: PTX ISA 9.0, sections 9.7.9.6 and 9.7.13.
#include <bit>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/number/compare.hpp"

namespace parity::ptx {
namespace {

/// An operand of all lanes, whichever instruction they stand at.
template <class T>
struct Gathered {
  T values[kLanes] = {};
  Mask lanes = 0;
  Gathered(const std::vector<Party>& parties, uint32_t Step::*operand) {
    for (const Party& party : parties) {
      const T* from = reinterpret_cast<const T*>(party.registers + party.step->*operand);
      for (uint32_t l = 0; l < kLanes; ++l) values[l] = has_lane(party.mask, l) ? from[l] : values[l];
      lanes |= party.mask;
    }
  }
};

template <class T>
void give(const std::vector<Party>& parties, uint32_t Step::*operand, const T* values) {
  for (const Party& party : parties) {
    T* to = reinterpret_cast<T*>(party.registers + party.step->*operand);
    for (uint32_t l = 0; l < kLanes; ++l) to[l] = has_lane(party.mask, l) ? values[l] : to[l];
  }
}

void give_predicate(const std::vector<Party>& parties, uint32_t Step::*operand, Mask value) {
  for (const Party& party : parties) {
    Mask& to = *reinterpret_cast<Mask*>(party.registers + party.step->*operand);
    to = (to & ~party.mask) | (value & party.mask);
  }
}

enum Shuffle : uint8_t { up, down, butterfly, indexed };

/// The lane that is read, or none outside of the segment. Source: section 9.7.9.6, the pseudocode of shfl.sync.
template <Shuffle how>
bool lane_read(uint32_t lane, uint32_t b, uint32_t c, uint32_t& from) {
  const auto offset = static_cast<int32_t>(b & 31U), self = static_cast<int32_t>(lane);
  const uint32_t segment = c >> 8U & 31U, clamp = c & 31U;
  const auto limit = static_cast<int32_t>((lane & segment) | (clamp & ~segment));
  int32_t j = 0;
  if (how == up) j = self - offset;
  if (how == down) j = self + offset;
  if (how == butterfly) j = self ^ offset;
  if (how == indexed) j = static_cast<int32_t>((lane & segment) | (static_cast<uint32_t>(offset) & ~segment));
  const bool inside = how == up ? j >= limit : j <= limit;
  from = inside ? static_cast<uint32_t>(j) : lane;
  return inside;
}

template <Shuffle how>
void shuffle(Warp& warp, const Step& step) {
  if (!warp.meet(step, warp.uniform<uint32_t>(step.e))) return;
  const std::vector<Party>& parties = warp.parties;
  const Gathered<uint32_t> a(parties, &Step::a), b(parties, &Step::b), c(parties, &Step::c);
  uint32_t values[kLanes], from[kLanes];
  Mask inside = 0;
  for (uint32_t l = 0; l < kLanes; ++l) inside |= Mask{lane_read<how>(l, b.values[l], c.values[l], from[l])} << l;
  for (uint32_t l = 0; l < kLanes; ++l) values[l] = a.values[from[l] & 31U];
  for (uint32_t l = 0; a.lanes != kAllLanes && l < kLanes; ++l) {
    if (has_lane(a.lanes, l) && !has_lane(a.lanes, from[l]))
      warp.find(Finding::Kind::warp_divergence, step, l,
                fmt::format("reads lane {}, which does not take part", from[l]));
  }
  give(parties, &Step::d, values);
  give_predicate(parties, &Step::d2, inside);
}

enum Vote : uint8_t { all, any, uniform, ballot };

void vote(Warp& warp, const Step& step) {
  if (!warp.meet(step, warp.uniform<uint32_t>(step.b))) return;
  const std::vector<Party>& parties = warp.parties;
  Mask yes = 0, there = 0;
  for (const Party& party : parties) {
    const Mask value = *reinterpret_cast<const Mask*>(party.registers + party.step->a);
    yes |= (party.step->count == 2 ? ~value : value) & party.mask;
    there |= party.mask;
  }
  if (step.mode == ballot) {
    uint32_t values[kLanes];
    for (uint32_t& value : values) value = yes;
    give(parties, &Step::d, values);
    return;
  }
  const bool result = step.mode == all ? yes == there : step.mode == any ? yes != 0 : yes == 0 || yes == there;
  give_predicate(parties, &Step::d, result ? kAllLanes : 0);
}

template <class U, bool every>
void match(Warp& warp, const Step& step) {
  if (!warp.meet(step, warp.uniform<uint32_t>(step.b))) return;
  const std::vector<Party>& parties = warp.parties;
  const Gathered<U> a(parties, &Step::a);
  uint32_t values[kLanes] = {};
  for (uint32_t l = 0; l < kLanes; ++l) {
    for (uint32_t k = 0; k < kLanes; ++k) values[l] |= Mask{has_lane(a.lanes, k) && a.values[k] == a.values[l]} << k;
  }
  if (every) {
    const bool same = values[std::countr_zero(a.lanes)] == a.lanes;
    for (uint32_t& value : values) value = same ? a.lanes : 0;
    give_predicate(parties, &Step::d2, same ? kAllLanes : 0);
  }
  give(parties, &Step::d, values);
}

enum class LaneReduction : uint8_t { sum, least_, greatest_, conjunction, disjunction, difference };

uint32_t reduced(uint8_t what, bool sign, uint32_t x, uint32_t y) {
  const bool less = sign ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
  using enum LaneReduction;
  switch (static_cast<LaneReduction>(what)) {
    case sum:
      return x + y;
    case least_:
      return less ? x : y;
    case greatest_:
      return less ? y : x;
    case conjunction:
      return x & y;
    case disjunction:
      return x | y;
    default:
      return x ^ y;
  }
}

void reduce(Warp& warp, const Step& step) {
  if (!warp.meet(step, warp.uniform<uint32_t>(step.b))) return;
  const std::vector<Party>& parties = warp.parties;
  const Gathered<uint32_t> a(parties, &Step::a);
  const auto first = static_cast<uint32_t>(std::countr_zero(a.lanes));
  uint32_t result = a.values[first];
  for (uint32_t l = first + 1; l < kLanes; ++l) {
    if (has_lane(a.lanes, l)) result = reduced(step.mode, step.mode2 != 0, result, a.values[l]);
  }
  uint32_t values[kLanes];
  for (uint32_t& value : values) value = result;
  give(parties, &Step::d, values);
}

enum Single : uint8_t { greatest_single = 1, of_magnitudes = 2, propagates_nan = 4 };

/// redux.f32: a minimum or a maximum.
void reduce_singles(Warp& warp, const Step& step) {
  if (!warp.meet(step, warp.uniform<uint32_t>(step.b))) return;
  const std::vector<Party>& parties = warp.parties;
  const Gathered<uint32_t> a(parties, &Step::a);
  const bool greater = (step.mode & greatest_single) != 0;
  const ExtremeMode mode{false, (step.mode & propagates_nan) != 0, (step.mode & of_magnitudes) != 0, false};
  uint64_t result = a.values[std::countr_zero(a.lanes)];
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (has_lane(a.lanes, l)) result = extreme(NumberType::f32, greater, result, a.values[l], mode);
  }
  uint32_t values[kLanes];
  for (uint32_t& value : values) value = static_cast<uint32_t>(result);
  give(parties, &Step::d, values);
}

/// The lane with the lowest number is elected.
void elect(Warp& warp, const Step& step) {
  if (!warp.meet(step, warp.uniform<uint32_t>(step.b))) return;
  const std::vector<Party>& parties = warp.parties;
  Mask there = 0;
  for (const Party& party : parties) there |= party.mask;
  uint32_t values[kLanes];
  for (uint32_t& value : values) value = static_cast<uint32_t>(std::countr_zero(there));
  give(parties, &Step::d, values);
  give_predicate(parties, &Step::d2, there & (~there + 1));
}

void active(Warp& warp, const Step& step) { put_all<uint32_t>(warp, step.d, warp.mask); }

Handler shuffles(Decoder& d, Step& step) {
  d.need(5);
  if (!d.take("sync")) d.refuse("'.sync' is expected");
  const int how = d.take_one({"up", "down", "bfly", "idx"});
  d.take_type();
  const Operand& result = d.operand(0);
  const bool pair = result.kind == Operand::Kind::pair;
  step.d = d.destination(pair ? result.parts.at(0) : result, Type::b32);
  if (pair) step.d2 = d.destination(result.parts.at(1), Type::pred);
  step.a = d.source(1, Type::b32);
  step.b = d.source(2, Type::b32);
  step.c = d.source(3, Type::b32);
  step.e = d.source(4, Type::b32);
  switch (how) {
    case up:
      return &shuffle<up>;
    case down:
      return &shuffle<down>;
    case butterfly:
      return &shuffle<butterfly>;
    case indexed:
      return &shuffle<indexed>;
    default:
      d.refuse("'.up', '.down', '.bfly' or '.idx' is expected");
  }
}

Handler votes(Decoder& d, Step& step) {
  d.need(3);
  if (!d.take("sync")) d.refuse("'.sync' is expected");
  const int how = d.take_one({"all", "any", "uni", "ballot"});
  if (how < 0) d.refuse("'.all', '.any', '.uni' or '.ballot' is expected");
  d.take_type();
  step.mode = static_cast<uint8_t>(how);
  step.d = d.destination(0, how == ballot ? Type::b32 : Type::pred);
  step.a = d.source(1, Type::pred);
  step.count = d.operand(1).negated ? 2 : 1;
  step.b = d.source(2, Type::b32);
  return &vote;
}

Handler matches(Decoder& d, Step& step) {
  d.need(3);
  const bool every = d.take("all");
  if ((!every && !d.take("any")) || !d.take("sync")) d.refuse("'.any.sync' or '.all.sync' is expected");
  const Type type = d.take_type();
  const Operand& result = d.operand(0);
  const bool pair = result.kind == Operand::Kind::pair;
  if (pair && !every) d.refuse("only .all has a predicate as a result");
  step.d = d.destination(pair ? result.parts.at(0) : result, Type::b32);
  if (pair) step.d2 = d.destination(result.parts.at(1), Type::pred);
  step.a = d.source(1, type);
  step.b = d.source(2, Type::b32);
  if (bytes_of(type) == 8) return every ? &match<uint64_t, true> : &match<uint64_t, false>;
  return every ? &match<uint32_t, true> : &match<uint32_t, false>;
}

Handler reductions(Decoder& d, Step& step) {
  d.need(3);
  if (!d.take("sync")) d.refuse("'.sync' is expected");
  const int what = d.take_one({"add", "min", "max", "and", "or", "xor"});
  const Type type = d.take_type();
  const auto reduction = static_cast<LaneReduction>(what);
  const bool greatest = reduction == LaneReduction::greatest_;
  if (type == Type::f32 && (greatest || reduction == LaneReduction::least_)) {
    step.mode = static_cast<uint8_t>((greatest ? uint32_t{greatest_single} : 0U) |
                                     (d.take("abs") ? uint32_t{of_magnitudes} : 0U) |
                                     (d.take("NaN") ? uint32_t{propagates_nan} : 0U));
    step.d = d.destination(0, type);
    step.a = d.source(1, type);
    step.b = d.source(2, Type::b32);
    return &reduce_singles;
  }
  if (what < 0 || !is_integer(type) || bytes_of(type) != 4)
    d.refuse("an operation of 32-bit integers, or '.min' or '.max' of .f32, is expected");
  step.mode = static_cast<uint8_t>(what);
  step.mode2 = is_signed(type) ? 1 : 0;
  step.d = d.destination(0, type);
  step.a = d.source(1, type);
  step.b = d.source(2, Type::b32);
  return &reduce;
}

}  // namespace

Handler warp_group(Decoder& d, Step& step) {
  if (d.is("shfl")) return shuffles(d, step);
  if (d.is("vote")) return votes(d, step);
  if (d.is("match")) return matches(d, step);
  if (d.is("redux")) return reductions(d, step);
  if (d.is("activemask")) {
    d.need(1);
    d.take_type();
    step.d = d.destination(0, Type::b32);
    return &active;
  }
  if (!d.is("elect")) return nullptr;
  d.need(2);
  if (!d.take("sync") || d.operand(0).kind != Operand::Kind::pair) d.refuse("elect.sync d|p, mask is expected");
  step.d = d.destination(d.operand(0).parts.at(0), Type::b32);
  step.d2 = d.destination(d.operand(0).parts.at(1), Type::pred);
  step.b = d.source(1, Type::b32);
  return &elect;
}

}  // namespace parity::ptx
