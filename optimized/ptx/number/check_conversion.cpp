// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which cvt there are: the syntax and the rules of PTX ISA 9.7.9.21.
#include "core/error.hpp"
#include "optimized/ptx/number/convert.hpp"

namespace parity::ptx {
namespace {

bool is_half(NumberType type) { return type == NumberType::f16 || type == NumberType::bf16; }
bool is_small(NumberType type) { return type >= NumberType::e4m3 && type <= NumberType::e2m1; }  // fp8, fp6, fp4
bool is_plain(NumberType type) { return is_integer(type) || type <= NumberType::f64; }

void check_types(const Conversion& how) {
  using Type = NumberType;
  bool exists = is_plain(how.to) && is_plain(how.from);
  if (is_small(how.to) || how.to == Type::ue8m0) exists = how.from == Type::f32 || is_half(how.from);
  if (how.to == Type::ue8m0) exists = how.from == Type::f32 || how.from == Type::bf16;
  if (how.to == Type::tf32) exists = how.from == Type::f32;
  if (is_small(how.from)) exists = how.to == Type::f16;
  if (how.from == Type::ue8m0) exists = how.to == Type::bf16;
  PARITY_CHECK(exists, unsupported, "there is no cvt to .{} from .{}; convert through .f32 or .f16", to_string(how.to),
               to_string(how.from));
}

/// Whether every number of `from` is one of `to`.
bool holds_all(NumberType to, NumberType from) {
  if (!is_integer(to) || !is_integer(from)) return false;
  if (is_signed(to) == is_signed(from)) return integer_bits(to) >= integer_bits(from);
  return is_signed(to) && integer_bits(to) > integer_bits(from);
}

/// As ptxas has it.
void check_saturation(const Conversion& how) {
  using Type = NumberType;
  const bool exists = is_integer(how.to) || how.to == Type::f16 || how.to == Type::f32 || how.to == Type::f64;
  PARITY_CHECK(exists && is_plain(how.from), unsupported,
               ".sat is only for integers, .f16, .f32 and .f64; leave it out for .{}", to_string(how.to));
  PARITY_CHECK(how.from != Type::bf16, unsupported, "cvt from .bf16 has no .sat; convert to .f32 first");
  PARITY_CHECK(!holds_all(how.to, how.from), unsupported,
               "cvt to .{} from .{} has no .sat, because every number fits; leave it out", to_string(how.to),
               to_string(how.from));
}

void check_rounding(const Conversion& how) {
  using Mode = RoundingMode;
  const bool scale = how.to == NumberType::ue8m0;
  PARITY_CHECK(how.rounding != Mode::away || how.to == NumberType::tf32, unsupported,
               "cvt.rna is only for .tf32; use .rn for .{}", to_string(how.to));
  PARITY_CHECK(!scale || how.rounding == Mode::zero || how.rounding == Mode::up, unsupported,
               "cvt to .ue8m0 rounds with .rz or .rp");
  PARITY_CHECK(how.to != NumberType::tf32 || how.rounding < Mode::down, unsupported,
               "cvt to .tf32 rounds with .rn, .rna or .rz");
  const bool nearest = is_small(how.to) || is_small(how.from) || how.from == NumberType::ue8m0;
  PARITY_CHECK(!nearest || how.rounding == Mode::nearest, unsupported, "cvt to .{} from .{} rounds with .rn",
               to_string(how.to), to_string(how.from));
  const bool plain_floats = is_plain(how.to) && is_plain(how.from) && !is_integer(how.to) && !is_integer(how.from);
  PARITY_CHECK(!how.integral || (plain_floats && how.to == how.from), unsupported,
               "an integer rounding of a number keeps its type; use .rn, .rz, .rm or .rp from .{} to .{}",
               to_string(how.from), to_string(how.to));
}

}  // namespace

void check_conversion(const Conversion& how) {
  using Type = NumberType;
  check_types(how);
  check_rounding(how);
  const bool narrow = is_half(how.to) || how.to == Type::tf32;
  const bool packed = is_small(how.to) || how.to == Type::ue8m0;
  PARITY_CHECK(how.satfinite || !is_small(how.to), unsupported, "cvt to .{} needs .satfinite", to_string(how.to));
  PARITY_CHECK(
      !how.satfinite || packed || (narrow && how.from == Type::f32), unsupported,
      ".satfinite is only for cvt from .f32 to .f16, .bf16, .tf32 and of packed types; leave it out for .{} from .{}",
      to_string(how.to), to_string(how.from));
  const bool may_clamp = (narrow && how.from == Type::f32) || is_small(how.to) || is_small(how.from);
  PARITY_CHECK(!how.relu || may_clamp, unsupported, "cvt to .{} from .{} has no .relu; use max with zero",
               to_string(how.to), to_string(how.from));
  if (how.sat) check_saturation(how);
  const bool single = (how.to == Type::f32 || how.from == Type::f32) && is_plain(how.to) && is_plain(how.from);
  PARITY_CHECK(!how.ftz || single, unsupported, "cvt.ftz is only for conversions from or to .f32; leave it out");
}

}  // namespace parity::ptx
