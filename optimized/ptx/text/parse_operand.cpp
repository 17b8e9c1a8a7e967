// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/text/parse_operand.hpp"

#include <bit>
#include <charconv>

namespace parity::ptx {
namespace {

constexpr int kDeepestParts = 4;  // of parts within parts: [address, {coordinates}] has two

Operand parse_any(Cursor& cursor, int depth);

std::vector<Operand> parse_parts(Cursor& cursor, std::string_view end, int depth) {
  if (depth > kDeepestParts) cursor.fail("fewer brackets within brackets are expected");
  std::vector<Operand> parts;
  while (!cursor.take_if(end)) {
    parts.push_back(parse_any(cursor, depth + 1));
    if (!cursor.at(end)) cursor.expect(",");
  }
  return parts;
}

/// 0f and 0d: the bits of a number, eight or sixteen digits. Numbers with a point are binary64.
bool parse_real(std::string_view text, bool minus, Operand& operand) {
  const bool single = text.starts_with("0f") || text.starts_with("0F");
  const bool bits = single || text.starts_with("0d") || text.starts_with("0D");
  const char* end = text.data() + text.size();
  if (bits) {
    if (minus || text.size() != (single ? 10U : 18U)) return false;
    operand.kind = single ? Operand::Kind::single : Operand::Kind::real;
    return std::from_chars(text.data() + 2, end, operand.bits, 16).ptr == end;
  }
  if (text.find('.') == std::string_view::npos) return false;
  double value = 0.0;
  const auto read = std::from_chars(text.data(), end, value);
  operand.kind = Operand::Kind::real;
  operand.bits = std::bit_cast<uint64_t>(minus ? -value : value);
  return read.ec == std::errc() && read.ptr == end;
}

Operand parse_number(Cursor& cursor, bool minus) {
  Operand operand;
  const std::string_view text = cursor.peek().text;
  uint64_t value = 0;
  if (Cursor::is_integer(text, value)) {
    operand.kind = Operand::Kind::integer;
    operand.bits = minus ? ~value + 1 : value;
  } else if (!parse_real(text, minus, operand)) {
    cursor.fail("a number is expected");
  }
  cursor.take();
  return operand;
}

/// "+16", "-8", "+-8" after a name.
int64_t parse_offset(Cursor& cursor) {
  int64_t total = 0;
  while (cursor.at("+") || cursor.at("-")) {
    bool minus = false;
    while (cursor.at("+") || cursor.at("-")) minus ^= cursor.take().is("-");
    uint64_t value = 0;
    if (!cursor.at_word() || !Cursor::is_integer(cursor.peek().text, value)) cursor.fail("an offset is expected");
    cursor.take();
    total = static_cast<int64_t>(static_cast<uint64_t>(total) + (minus ? ~value + 1 : value));
  }
  return total;
}

Operand parse_single(Cursor& cursor, int depth) {
  Operand operand;
  if (cursor.take_if("{")) {
    operand.kind = Operand::Kind::vector;
    operand.parts = parse_parts(cursor, "}", depth);
  } else if (cursor.take_if("(")) {
    operand.kind = Operand::Kind::list;
    operand.parts = parse_parts(cursor, ")", depth);
  } else if (cursor.take_if("[")) {
    operand.kind = Operand::Kind::address;
    operand.parts = parse_parts(cursor, "]", depth);
  } else if (cursor.take_if("-")) {
    return parse_number(cursor, true);
  } else if (cursor.at_word() && cursor.peek().text.front() >= '0' && cursor.peek().text.front() <= '9') {
    return parse_number(cursor, false);
  } else {
    operand.name = cursor.word("an operand");
    operand.offset = parse_offset(cursor);
  }
  return operand;
}

Operand parse_any(Cursor& cursor, int depth) {
  const bool negated = cursor.take_if("!");
  Operand operand = parse_single(cursor, depth);
  operand.negated = negated;
  if (!cursor.take_if("|")) return operand;
  Operand pair;
  pair.kind = Operand::Kind::pair;
  pair.parts = {std::move(operand), parse_single(cursor, depth)};
  return pair;
}

}  // namespace

Operand parse_operand(Cursor& cursor) { return parse_any(cursor, 0); }

std::vector<Operand> parse_operands(Cursor& cursor) { return parse_parts(cursor, ";", 0); }

}  // namespace parity::ptx
