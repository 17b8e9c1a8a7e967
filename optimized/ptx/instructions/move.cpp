// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// mov, cvta, isspacep, and what packs and unpacks registers. Source: PTX ISA 9.0, section 9.7.9.
#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

template <class U>
void move(Warp& warp, const Step& step) {
  put(warp, step.d, warp.at<U>(step.a));
}

void move_predicate(Warp& warp, const Step& step) {
  put_predicate(warp, step.d, *warp.at<Mask>(step.a) ^ (step.mode != 0 ? kAllLanes : 0));
}

/// d = {parts}, the first one lowest.
template <class D, class P>
void pack(Warp& warp, const Step& step) {
  const uint32_t* parts = warp.frame->code->lists.data() + step.list;
  alignas(64) D values[kLanes] = {};
  for (uint32_t i = 0; i < step.count; ++i) {
    const P* part = warp.at<P>(parts[i]);
    PARITY_LANES values[l] = static_cast<D>(values[l] | static_cast<D>(part[l]) << (8 * sizeof(P) * i));
  }
  put(warp, step.d, values);
}

template <class S, class P>
void unpack(Warp& warp, const Step& step) {
  const uint32_t* parts = warp.frame->code->lists.data() + step.list;
  alignas(64) S from[kLanes];
  PARITY_LANES from[l] = warp.at<S>(step.a)[l];
  for (uint32_t i = 0; i < step.count; ++i) {
    alignas(64) P values[kLanes];
    PARITY_LANES values[l] = static_cast<P>(from[l] >> (8 * sizeof(P) * i));
    put(warp, parts[i], values);
  }
}

/// Steps of the warp stand for a clock: it moves on, and two runs agree.
template <class U>
void read_clock(Warp& warp, const Step& step) {
  put_all<U>(warp, step.d, static_cast<U>(++warp.clock));
}

Handler packing(Decoder& d, Step& step, Type type) {
  const bool packs = d.operand(1).kind == Operand::Kind::vector;
  const Operand& vector = d.operand(packs ? 1 : 0);
  const uint32_t bytes = bytes_of(type), count = static_cast<uint32_t>(vector.parts.size());
  if (count != 2 && count != 4) d.refuse("two or four registers are expected");
  const uint32_t part = bytes / count;
  if (part < 2) d.refuse("parts of 16 bits or more are expected");
  const Type of_part = part == 2 ? Type::b16 : Type::b32;
  std::vector<uint32_t> parts;
  for (const Operand& each : vector.parts)
    parts.push_back(packs ? d.source(each, of_part) : d.destination(each, of_part));
  step.count = static_cast<uint8_t>(count);
  step.list = d.list(parts);
  step.partial = true;
  if (packs) {
    step.d = d.destination(0, type);
    return bytes == 4 ? &pack<uint32_t, uint16_t> : part == 2 ? &pack<uint64_t, uint16_t> : &pack<uint64_t, uint32_t>;
  }
  step.a = d.source(1, type);
  return bytes == 4  ? &unpack<uint32_t, uint16_t>
         : part == 2 ? &unpack<uint64_t, uint16_t>
                     : &unpack<uint64_t, uint32_t>;
}

Handler clock_of(Decoder& d, Step& step, Type type) {
  const std::string& name = d.operand(1).name;
  const bool wide = name == "%clock64" || name == "%globaltimer";
  if (!wide && name != "%clock" && name != "%clock_hi" && name != "%globaltimer_lo" && name != "%globaltimer_hi")
    return nullptr;
  if (bytes_of(type) != (wide ? 8U : 4U)) d.refuse("the register has another size than the clock");
  step.d = d.destination(0, type);
  if (name.ends_with("hi")) {
    step.a = d.constant(0, 4);
    return &move<uint32_t>;
  }
  return wide ? &read_clock<uint64_t> : &read_clock<uint32_t>;
}

Handler moves(Decoder& d, Step& step) {
  d.need(2);
  const Type type = d.take_type();
  if (d.operand(0).kind == Operand::Kind::vector || d.operand(1).kind == Operand::Kind::vector)
    return packing(d, step, type);
  if (const Handler clock = clock_of(d, step, type); clock != nullptr) return clock;
  step.d = d.destination(0, type);
  step.a = d.source(1, type);
  step.mode = d.operand(1).negated ? 1 : 0;
  if (type == Type::pred) return &move_predicate;
  switch (bytes_of(type)) {
    case 2:
      return &move<uint16_t>;
    case 4:
      return &move<uint32_t>;
    case 8:
      return &move<uint64_t>;
    default:
      d.refuse("a register of 16, 32 or 64 bits is expected");
  }
}

uint64_t window_named(Decoder& d) {
  if (d.take("global") || d.take("const")) return 0;
  if (d.take("shared") || d.take("shared::cta") || d.take("shared::cluster")) return kSharedWindow;
  if (d.take("local")) return kLocalWindow;
  if (d.take("param") || d.take("param::entry")) return kParamWindow;
  d.refuse("a state space is expected");
}

uint64_t plus(uint64_t a, uint64_t b) { return a + b; }
uint64_t minus(uint64_t a, uint64_t b) { return a - b; }

/// The window of shared memory lies at the same place for all blocks, so offsets are sums.
Handler address_of(Decoder& d, Step& step) {
  d.need(2);
  const bool to = d.take("to");
  const uint64_t window = window_named(d);
  if (d.take_type() != Type::u64) d.refuse("an address of 64 bits is expected");
  step.d = d.destination(0, Type::u64);
  step.a = d.source(1, Type::u64);
  step.b = d.constant(window, 8);
  return to ? &map2<uint64_t, uint64_t, uint64_t, minus> : &map2<uint64_t, uint64_t, uint64_t, plus>;
}

void is_in_space(Warp& warp, const Step& step) {
  const auto* a = warp.at<uint64_t>(step.a);
  const auto window = static_cast<uint64_t>(step.immediate);
  Mask result = 0;
  for (uint32_t l = 0; l < kLanes; ++l) result |= Mask{window_of(a[l]) == window} << l;
  put_predicate(warp, step.d, result);
}

}  // namespace

Handler move_group(Decoder& d, Step& step) {
  if (d.is("mov")) return moves(d, step);
  if (d.is("cvta")) return address_of(d, step);
  if (d.is("isspacep")) {
    d.need(2);
    step.immediate = static_cast<int64_t>(window_named(d));
    step.d = d.destination(0, Type::pred);
    step.a = d.source(1, Type::u64);
    return &is_in_space;
  }
  return nullptr;
}

}  // namespace parity::ptx
