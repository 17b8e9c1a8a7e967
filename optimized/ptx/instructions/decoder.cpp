// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/instructions/decoder.hpp"

#include <algorithm>
#include <bit>

namespace parity::ptx {
namespace {

/// "shared::cluster" stays one part.
std::vector<std::string_view> parts_of(std::string_view opcode) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t point = opcode.find('.');
    parts.push_back(opcode.substr(0, point));
    if (point == std::string_view::npos) return parts;
    opcode.remove_prefix(point + 1);
  }
}

}  // namespace

Decoder::Decoder(const Module& module, const Function& function, Code& code)
    : module_(module), function_(function), code_(code) {
  lay_out_registers();
  lay_out_params();
}

Step Decoder::begin(const Instruction& instruction) {
  instruction_ = &instruction;
  parts_ = parts_of(instruction.opcode);
  taken_.assign(parts_.size(), false);
  reads_.clear();
  writes_.clear();
  Step step;
  step.line = instruction.line;
  step.location = instruction.location;
  if (instruction.guard) {
    step.guarded = true;
    step.negated = instruction.guard->negated;
    step.guard = source(*instruction.guard, Type::pred);
  }
  return step;
}

Step Decoder::decode(const Instruction& instruction) {
  Step step = begin(instruction);
  for (const NamedGroup& group : groups()) {
    step.kind = group.kind;
    step.run = group.decode(*this, step);
    if (step.run != nullptr) break;
  }
  if (step.run == nullptr) refuse("this instruction is not known");
  for (size_t i = 1; i < parts_.size(); ++i) {
    if (!taken_[i]) refuse(fmt::format("'.{}' is not known here", parts_[i]));
  }
  step.read_count = static_cast<uint32_t>(reads_.size());
  step.reads = list(reads_);
  step.write_count = static_cast<uint32_t>(writes_.size());
  step.writes = list(writes_);
  return step;
}

void Decoder::refuse(const std::string& why) const {
  throw Error(ErrorCode::unsupported,
              fmt::format("PTX line {}: {}: {}", instruction_->line, instruction_->opcode, why));
}

void Decoder::need(size_t operands_) const {
  if (operands() != operands_) refuse(fmt::format("{} operands are expected, there are {}", operands_, operands()));
}

const Operand& Decoder::operand(size_t index) const {
  if (index >= operands()) refuse(fmt::format("operand {} is missing", index + 1));
  return instruction_->operands[index];
}

bool Decoder::take(std::string_view part) {
  const auto found = std::find(parts_.begin() + 1, parts_.end(), part);
  if (found == parts_.end()) return false;
  taken_[static_cast<size_t>(found - parts_.begin())] = true;
  return true;
}

int Decoder::take_one(std::initializer_list<std::string_view> parts) {
  int index = 0;
  for (const std::string_view part : parts) {
    if (take(part)) return index;
    ++index;
  }
  return -1;
}

bool Decoder::has(std::string_view part) const {
  return std::find(parts_.begin() + 1, parts_.end(), part) != parts_.end();
}

std::string_view Decoder::take_next() {
  const auto found = std::find(taken_.begin() + 1, taken_.end(), false);
  if (found == taken_.end()) refuse("the opcode lacks a modifier or a type");
  *found = true;
  return parts_[static_cast<size_t>(found - taken_.begin())];
}

Type Decoder::take_type() {
  for (size_t i = 1; i < parts_.size(); ++i) {
    const Type type = type_of(parts_[i]);
    if (taken_[i] || type == Type::none) continue;
    taken_[i] = true;
    return type;
  }
  refuse("a type that this machine computes with is expected");
}

Type Decoder::peek_type() const {
  for (size_t i = 1; i < parts_.size(); ++i) {
    if (!taken_[i] && type_of(parts_[i]) != Type::none) return type_of(parts_[i]);
  }
  return Type::none;
}

void Decoder::same(Step& step, Type type) {
  if (operands() < 2 || operands() > 4) refuse("two to four operands are expected");
  step.d = destination(0, type);
  step.a = source(1, type);
  if (operands() > 2) step.b = source(2, type);
  if (operands() > 3) step.c = source(3, type);
}

uint32_t Decoder::register_bytes(const Operand& operand) const {
  const auto found = operand.kind == Operand::Kind::name ? numbers_.find(operand.name) : numbers_.end();
  if (found == numbers_.end()) return 0;
  return std::max(1U, code_.registers[found->second].second);
}

uint32_t Decoder::source(const Operand& operand, Type type, uint32_t bytes) {
  const auto found = operand.kind == Operand::Kind::name ? numbers_.find(operand.name) : numbers_.end();
  if (found != numbers_.end()) {
    const auto [at, has_bytes] = code_.registers[found->second];
    const uint32_t needed = type == Type::pred ? 0 : std::max(bytes, 2U);
    if (has_bytes != needed)
      refuse(fmt::format("register {} has {} bits, {} are expected", operand.name, 8 * has_bytes, 8 * needed));
    if (operand.offset != 0) refuse("a register cannot have an offset");
    reads_.push_back(found->second);
    return at;
  }
  uint64_t value = 0;
  if (number(operand, type, value)) {
    if (type == Type::pred) value = value != 0 ? kAllLanes : 0;
    return constant(value, type == Type::pred ? 0 : std::max(bytes, 2U));
  }
  uint32_t at = 0;
  if (operand.kind == Operand::Kind::name && operand.name.starts_with('%')) return special(operand.name, bytes);
  if (symbol(operand, bytes, at)) return at;
  refuse(fmt::format("operand '{}' is not understood", operand.name));
}

uint32_t Decoder::destination(const Operand& operand, Type type, uint32_t bytes) {
  if (is_sink(operand)) return 0;
  const auto found = operand.kind == Operand::Kind::name ? numbers_.find(operand.name) : numbers_.end();
  if (found == numbers_.end()) refuse(fmt::format("'{}' is no register that a result can go to", operand.name));
  const auto [at, has_bytes] = code_.registers[found->second];
  const uint32_t needed = type == Type::pred ? 0 : std::max(bytes, 2U);
  if (has_bytes != needed)
    refuse(fmt::format("register {} has {} bits, {} are expected", operand.name, 8 * has_bytes, 8 * needed));
  writes_.push_back(found->second);
  return at;
}

void Decoder::address(Step& step, const Operand& operand) {
  if (operand.kind != Operand::Kind::address || operand.parts.size() != 1) refuse("an address [...] is expected");
  const Operand& base = operand.parts.front();
  if (const uint32_t bytes = register_bytes(base); bytes != 0) {
    if (bytes < 4) refuse("an address of 32 or 64 bits is expected");
    Operand plain = base;
    plain.offset = 0;
    step.wide_address = bytes == 8;
    step.immediate = base.offset;
    step.a = source(plain, bytes == 8 ? Type::b64 : Type::b32);
    if (step.space == Space::param) step.mode2 = 1;
    return;
  }
  step.wide_address = true;
  if (base.kind == Operand::Kind::integer) {
    step.a = constant(base.bits, 8);
    return;
  }
  step.immediate = base.offset;
  if (step.space == Space::param) {
    const auto launched = code_.launched.find(base.name), own = code_.params.find(base.name);
    if (launched == code_.launched.end() && own == code_.params.end()) refuse("a parameter is expected: " + base.name);
    step.mode2 = launched != code_.launched.end() ? 1 : 0;
    step.immediate += step.mode2 == 1 ? launched->second.offset : own->second.offset;
    step.a = constant(0, 8);
    return;
  }
  Operand plain = base;
  plain.offset = 0;
  step.a = source(plain, Type::b64);
}

uint32_t Decoder::list(const std::vector<uint32_t>& entries) {
  code_.lists.insert(code_.lists.end(), entries.begin(), entries.end());
  return static_cast<uint32_t>(code_.lists.size() - entries.size());
}

uint32_t Decoder::label(const Operand& operand) const {
  const auto found = function_.labels.find(operand.name);
  if (operand.kind != Operand::Kind::name || found == function_.labels.end())
    refuse(fmt::format("a label is expected, not '{}'", operand.name));
  return found->second;
}

bool Decoder::number(const Operand& operand, Type type, uint64_t& value) const {
  value = operand.bits;
  if (operand.kind == Operand::Kind::name && operand.name == "WARP_SZ") {
    value = kLanes;
    return true;
  }
  if (operand.kind == Operand::Kind::integer) {
    if (type == Type::f32 || type == Type::f64) refuse("a number with a point or of hexadecimal bits is expected");
    return true;
  }
  if (operand.kind == Operand::Kind::single) {
    if (type == Type::f64) value = std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(value))});
    return true;
  }
  if (operand.kind != Operand::Kind::real) return false;
  if (type == Type::f32) value = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
  return true;
}

}  // namespace parity::ptx
