// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cvt. What is frequent has loops of its own (convert_fast.cpp); all else goes through number/convert.hpp. Source: PTX
// ISA 9.0, section 9.7.9.21.
#include "optimized/ptx/number/convert.hpp"

#include <algorithm>
#include <charconv>

#include "optimized/ptx/instructions/convert_fast.hpp"
#include "optimized/ptx/instructions/matrix.hpp"

namespace parity::ptx {
namespace {

enum Flag : uint32_t { integral = 1, ftz = 2, sat = 4, satfinite = 8, relu = 16 };

uint32_t packed_into_word(const Conversion& how) {
  const uint32_t flags = (how.integral ? integral : 0U) | (how.ftz ? ftz : 0U) | (how.sat ? sat : 0U) |
                         (how.satfinite ? satfinite : 0U) | (how.relu ? relu : 0U);
  return static_cast<uint32_t>(how.to) | static_cast<uint32_t>(how.from) << 8U |
         static_cast<uint32_t>(how.rounding) << 16U | flags << 24U;
}

Conversion conversion_of(uint32_t word) {
  const uint32_t flags = word >> 24U;
  Conversion how;
  how.to = static_cast<NumberType>(word & 0xFFU);
  how.from = static_cast<NumberType>(word >> 8U & 0xFFU);
  how.rounding = static_cast<RoundingMode>(word >> 16U & 0xFFU);
  how.integral = (flags & integral) != 0;
  how.ftz = (flags & ftz) != 0;
  how.sat = (flags & sat) != 0;
  how.satfinite = (flags & satfinite) != 0;
  how.relu = (flags & relu) != 0;
  return how;
}

/// Step::width and mode2: bytes of the registers of the source and of the result.
uint64_t source_at(const Warp& warp, const Step& step, uint32_t offset, uint32_t lane) {
  uint64_t code = 0;
  std::memcpy(&code, warp.registers + offset + size_t{lane} * step.width, step.width);
  return code;
}

template <class Of>
void each_lane(Warp& warp, const Step& step, const Of& of) {
  const Conversion how = conversion_of(step.c);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(warp.mask, lane)) continue;
    const uint64_t code = of(how, lane);
    std::memcpy(warp.registers + step.d + size_t{lane} * step.mode2, &code, step.mode2);
  }
}

void one(Warp& warp, const Step& step) {
  each_lane(warp, step,
            [&](const Conversion& how, uint32_t l) { return convert(how, source_at(warp, step, step.a, l)); });
}
/// d, a, b: a is the high half.
void pair(Warp& warp, const Step& step) {
  each_lane(warp, step, [&](const Conversion& how, uint32_t l) {
    return convert_pair(how, source_at(warp, step, step.a, l), source_at(warp, step, step.b, l));
  });
}
void packed(Warp& warp, const Step& step) {
  each_lane(warp, step,
            [&](const Conversion& how, uint32_t l) { return convert_packed(how, source_at(warp, step, step.a, l)); });
}

/// Whether the conversion has something to round, so that it must say how.
bool rounds(const Conversion& how) {
  if (is_integer(how.to)) return !is_integer(how.from);
  if (is_integer(how.from) || how.to > NumberType::f64 || how.from > NumberType::f64) return true;
  return how.to != how.from && stored_bits(how.to) <= stored_bits(how.from);
}

void take_rounding(Decoder& d, Conversion& how) {
  const int whole = d.take_one({"rni", "rzi", "rmi", "rpi"});
  const int part = d.take_one({"rn", "rz", "rm", "rp", "rna"});
  constexpr std::array kModes{RoundingMode::nearest, RoundingMode::zero, RoundingMode::down, RoundingMode::up,
                              RoundingMode::away};
  if (d.has("rs")) d.refuse("stochastic rounding is not supported; convert with .rn");
  const bool to_integer = is_integer(how.to) && !is_integer(how.from);
  if (to_integer && whole < 0) d.refuse("'.rni', '.rzi', '.rmi' or '.rpi' is expected");
  if (!to_integer && rounds(how) && part < 0) d.refuse("a rounding, as in '.rn', is expected");
  if (part >= 0 && (!rounds(how) || to_integer)) d.refuse("there is nothing to round here");
  how.integral = whole >= 0 && !is_integer(how.to);
  const int mode = whole >= 0 ? whole : part;
  if (mode >= 0) how.rounding = kModes.at(static_cast<size_t>(mode));
}

uint32_t width_of(Decoder& d, const Operand& operand, NumberType type, uint32_t numbers) {
  const auto bytes = std::max<uint32_t>(static_cast<uint32_t>(stored_bits(type)) * numbers / 8, 2);
  const uint32_t own = d.register_bytes(operand);
  if (own == 0) return bytes;
  const bool exact = numbers > 1 || !is_integer(type);
  if (own < bytes || (exact && own != bytes)) d.refuse("the register has another size than its type");
  return own;
}

/// "e4m3x2" -> e4m3, and that there are two.
NumberType take_number(Decoder& d, bool& two) {
  std::string_view name = d.take_next();
  two = name.ends_with("x2");
  if (two) name.remove_suffix(2);
  return with_line(d, [&] { return number_type_of(name); });
}

/// The number in "sm_90a"; 0 for a name of another shape.
int architecture(std::string_view target) {
  int number = 0;
  if (target.starts_with("sm_")) std::from_chars(target.data() + 3, target.data() + target.size(), number);
  return number;
}

/// As ptxas has it: what an architecture has not.
void check_target(const Decoder& d, const Conversion& how) {
  constexpr int kBlackwell = 100;
  const bool tf32 = how.to == NumberType::tf32 && how.satfinite && how.rounding != RoundingMode::away;
  const int target = architecture(d.module().target);
  if (tf32 && target != 0 && target < kBlackwell)
    d.refuse(fmt::format("'.satfinite' with '.rn' or '.rz' needs .target sm_{}; round with .rna", kBlackwell));
}

/// Of a constant operand: how the decoder reads numbers.
Type type_of_source(NumberType type) {
  if (type == NumberType::f32) return Type::f32;
  return type == NumberType::f64 ? Type::f64 : Type::b32;
}

}  // namespace

Handler convert_group(Decoder& d, Step& step) {
  if (!d.is("cvt")) return nullptr;  // .pack: video/pairs.cpp
  Conversion how;
  how.ftz = d.take("ftz");
  how.sat = d.take("sat");
  how.satfinite = d.take("satfinite");
  how.relu = d.take("relu");
  for (const char* const mode : {"rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp", "rna", "rs"}) d.take(mode);
  bool two = false, from_two = false;
  how.to = take_number(d, two);
  how.from = take_number(d, from_two);
  take_rounding(d, how);
  with_line(d, [&] { check_conversion(how); });
  check_target(d, how);
  if (from_two && !two) d.refuse("a packed pair as source needs a packed pair as destination");
  const bool of_pair = two && !from_two;
  d.need(of_pair ? 3 : 2);
  step.mode2 = static_cast<uint8_t>(width_of(d, d.operand(0), how.to, two ? 2 : 1));
  step.width = static_cast<uint8_t>(width_of(d, d.operand(1), how.from, from_two ? 2 : 1));
  const Type type = from_two ? Type::b32 : type_of_source(how.from);
  step.d = d.destination(d.operand(0), Type::b32, step.mode2);
  step.a = d.source(d.operand(1), type, step.width);
  if (of_pair) step.b = d.source(d.operand(2), type, step.width);
  step.c = packed_into_word(how);
  if (from_two) return &packed;
  const Handler quick = of_pair ? fast_pair(how) : fast_conversion(how, step.mode2, step.width);
  return quick != nullptr ? quick : of_pair ? &pair : &one;
}

}  // namespace parity::ptx
