// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/instructions/type.hpp"

#include <map>

namespace parity::ptx {

Type type_of(std::string_view part) {
  static const std::map<std::string_view, Type> types{
      {"pred", Type::pred},   {"b8", Type::b8},         {"u8", Type::u8},   {"s8", Type::s8},   {"b16", Type::b16},
      {"u16", Type::u16},     {"s16", Type::s16},       {"b32", Type::b32}, {"u32", Type::u32}, {"s32", Type::s32},
      {"b64", Type::b64},     {"u64", Type::u64},       {"s64", Type::s64}, {"f16", Type::f16}, {"bf16", Type::bf16},
      {"f16x2", Type::f16x2}, {"bf16x2", Type::bf16x2}, {"f32", Type::f32}, {"f64", Type::f64}};
  const auto found = types.find(part);
  return found == types.end() ? Type::none : found->second;
}

uint32_t bytes_of(Type type) {
  switch (type) {
    case Type::none:
      return 0;
    case Type::pred:
      return 0;
    case Type::b8:
    case Type::u8:
    case Type::s8:
      return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 8;
    default:
      return 4;
  }
}

}  // namespace parity::ptx
