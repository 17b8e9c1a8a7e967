// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/number/types.hpp"

#include "core/error.hpp"

namespace parity::ptx {
namespace {

constexpr std::array<const char*, 19> kNumberNames{"u8",   "u16",  "u32",  "u64",  "s8",   "s16",  "s32",
                                                   "s64",  "f16",  "bf16", "f32",  "f64",  "tf32", "e4m3",
                                                   "e5m2", "e2m3", "e3m2", "e2m1", "ue8m0"};

}  // namespace

const char* to_string(NumberType type) { return kNumberNames.at(static_cast<size_t>(type)); }

NumberType number_type_of(std::string_view name) {
  for (size_t i = 0; i < kNumberNames.size(); ++i) {
    if (name == kNumberNames[i]) return static_cast<NumberType>(i);
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("no conversion or arithmetic of type .{}; use one of the types of PTX ISA 5.2", name));
}

RoundingMode rounding_of(std::string_view modifier) {
  if (modifier == "rn" || modifier == "rni") return RoundingMode::nearest;
  if (modifier == "rna") return RoundingMode::away;
  if (modifier == "rz" || modifier == "rzi") return RoundingMode::zero;
  if (modifier == "rm" || modifier == "rmi") return RoundingMode::down;
  if (modifier == "rp" || modifier == "rpi") return RoundingMode::up;
  PARITY_CHECK(modifier != "rs", unsupported, "stochastic rounding (.rs) is not supported; convert with .rn");
  throw Error(ErrorCode::unsupported, fmt::format(".{} is no rounding; expected .rn, .rna, .rz, .rm or .rp", modifier));
}

int stored_bits(NumberType type) {
  if (is_integer(type)) return integer_bits(type);
  switch (type) {
    case NumberType::e2m3:
    case NumberType::e3m2:
    case NumberType::ue8m0:
      return 8;
    case NumberType::tf32:
      return 32;
    default:
      return encoding_of(type).bits();
  }
}

}  // namespace parity::ptx
