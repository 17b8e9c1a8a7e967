// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/text/parse_variable.hpp"

#include <algorithm>
#include <bit>

#include "optimized/ptx/text/parse_operand.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 32;  // bytes of one variable

/// "8" of ".v8"; 0 for what is no vector.
uint64_t lanes_of(std::string_view word) { return word == ".v2" ? 2 : word == ".v4" ? 4 : word == ".v8" ? 8 : 0; }

/// Whether a word before the name says nothing about size or place.
bool says_nothing(std::string_view word) {
  static constexpr std::array kWords{".global", ".const", ".shared", ".local", ".managed"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

Variable::Initial initial_of(Cursor& cursor, const Operand& operand, uint64_t bytes) {
  if (operand.kind == Operand::Kind::integer) return {operand.bits, {}};
  if (operand.kind == Operand::Kind::single) return {operand.bits, {}};
  if (operand.kind == Operand::Kind::real) {
    if (bytes == 8) return {operand.bits, {}};
    return {std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits))), {}};
  }
  if (operand.kind != Operand::Kind::name) cursor.fail("a number or an address is expected");
  if (operand.name == "generic" && cursor.at("(")) {  // generic(symbol)+4
    const Operand list = parse_operand(cursor);
    if (list.parts.size() != 1) cursor.fail("one symbol is expected");
    return {static_cast<uint64_t>(list.parts.front().offset), list.parts.front().name};
  }
  return {static_cast<uint64_t>(operand.offset), operand.name};
}

void parse_initial(Cursor& cursor, Variable& variable, int depth = 0) {
  if (depth > 4) cursor.fail("fewer braces within braces are expected");
  if (!cursor.take_if("{")) {
    variable.initial.push_back(initial_of(cursor, parse_operand(cursor), variable.element));
    return;
  }
  while (!cursor.take_if("}")) {
    parse_initial(cursor, variable, depth + 1);
    if (!cursor.at("}")) cursor.expect(",");
  }
}

void parse_extents(Cursor& cursor, Variable& variable) {
  while (cursor.take_if("[")) {
    if (cursor.take_if("]")) {
      variable.unsized = true;
      variable.bytes = 0;
      continue;
    }
    const uint64_t extent = cursor.number("an extent", kLargest);
    if (extent > 0 && variable.bytes > kLargest / extent) cursor.fail("a variable of at most 4 GiB is expected");
    variable.bytes *= extent;
    cursor.expect("]");
  }
}

}  // namespace

uint32_t bits_of_type(std::string_view type) {
  if (type == ".pred") return 1;
  if (type.size() < 3 || type[0] != '.' || std::string_view("bsuf").find(type[1]) == std::string_view::npos)
    return type == ".bf16" ? 16 : type == ".bf16x2" ? 32 : 0;
  const std::string_view digits = type.substr(2);
  if (digits == "16x2") return 32;
  uint64_t bits = 0;
  const bool known = Cursor::is_integer(digits, bits) && std::has_single_bit(bits) && bits >= 8 && bits <= 128;
  return known ? static_cast<uint32_t>(bits) : type == ".bf16" ? 16 : type == ".bf16x2" ? 32 : 0;
}

NamedVariable parse_variable(Cursor& cursor, const std::string& space) {
  Variable variable;
  variable.space = space;
  uint64_t lanes = 1, bits = 0, aligned = 0, of_pointee = 0;
  bool pointer = false;  // an alignment after .ptr is that of what it shows
  while (cursor.at_directive()) {
    const std::string word(cursor.take().text);
    if (word == ".align") {
      uint64_t& said = pointer ? of_pointee : aligned;
      said = cursor.number("an alignment", 1U << 16U);
      if (!std::has_single_bit(said)) cursor.fail("an alignment that is a power of two is expected");
    } else if (word == ".attribute") {
      cursor.skip_past(")");
    } else if (lanes_of(word) > 0) {
      lanes = lanes_of(word);
    } else if (bits_of_type(word) > 0) {
      bits = bits_of_type(word);
    } else if (word == ".ptr") {
      pointer = true;
    } else if (!says_nothing(word)) {
      cursor.fail(fmt::format("a type is expected instead of {}", word));
    }
  }
  if (bits < 8) cursor.fail("the type of a variable is expected");
  variable.element = bits / 8;
  variable.bytes = variable.element * lanes;
  variable.alignment = std::max(aligned, variable.bytes);
  std::string name = cursor.word("the name of a variable");
  parse_extents(cursor, variable);
  if (cursor.take_if("=")) parse_initial(cursor, variable);
  if (!variable.unsized && variable.initial.size() * variable.element > variable.bytes)
    cursor.fail(fmt::format("at most {} bytes of initial values are expected", variable.bytes));
  return {std::move(name), std::move(variable)};
}

std::vector<NamedVariable> parse_parameters(Cursor& cursor) {
  std::vector<NamedVariable> parameters;
  if (!cursor.take_if("(")) return parameters;
  while (!cursor.take_if(")")) {
    const std::string space = cursor.word(".param or .reg");
    if (space != ".param" && space != ".reg") cursor.fail(".param or .reg is expected");
    parameters.push_back(parse_variable(cursor, space));
    if (!cursor.at(")")) cursor.expect(",");
  }
  return parameters;
}

}  // namespace parity::ptx
