// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// From the text of an instruction to a Step. Every part of an opcode must be taken by somebody, or it is refused.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "optimized/ptx/instructions/type.hpp"
#include "optimized/ptx/machine/code.hpp"

namespace parity::ptx {

class Decoder {
 public:
  Decoder(const Module& module, const Function& function, Code& code);

  /// Throws Error{unsupported}, which names the line, for an instruction that is not known.
  [[nodiscard]] Step decode(const Instruction& instruction);
  /// A step that does nothing yet: its lines and its guard.
  [[nodiscard]] Step begin(const Instruction& instruction);
  /// Lays out constants once all instructions are decoded.
  void finish();

  // For the groups of instructions.
  [[nodiscard]] std::string_view name() const { return parts_.front(); }
  [[nodiscard]] bool is(std::string_view name_of) const { return parts_.front() == name_of; }
  /// Whether the opcode has this part, which is taken.
  bool take(std::string_view part);
  /// The index of the one of these parts that the opcode has, or -1.
  int take_one(std::initializer_list<std::string_view> parts);
  [[nodiscard]] bool has(std::string_view part) const;
  /// The next part that nobody has taken; refused if there is none.
  std::string_view take_next();
  /// The next part that is a type. The first of an opcode is that of the result, if it has several.
  Type take_type();
  /// Like take_type(), but does not consume the part; Type::none if there is no type.
  [[nodiscard]] Type peek_type() const;
  /// Operands d, a, b, c of the same type; as many as the instruction has.
  void same(Step& step, Type type);
  [[nodiscard]] const std::vector<std::string_view>& parts() const { return parts_; }

  [[nodiscard]] size_t operands() const { return instruction_->operands.size(); }
  [[nodiscard]] const Operand& operand(size_t index) const;
  [[nodiscard]] const Instruction& instruction() const { return *instruction_; }
  [[nodiscard]] const Module& module() const { return module_; }
  [[nodiscard]] const Function& function() const { return function_; }
  [[nodiscard]] Code& code() { return code_; }

  /// Offset of the lanes of a register, constant or special register. The register has the bytes of the type.
  uint32_t source(const Operand& operand, Type type) { return source(operand, type, bytes_of(type)); }
  uint32_t source(size_t index, Type type) { return source(operand(index), type); }
  /// Like source(), for a register of that many bytes.
  uint32_t source(const Operand& operand, Type type, uint32_t bytes);
  uint32_t destination(const Operand& operand, Type type) { return destination(operand, type, bytes_of(type)); }
  uint32_t destination(size_t index, Type type) { return destination(operand(index), type); }
  uint32_t destination(const Operand& operand, Type type, uint32_t bytes);
  /// Bytes of the register, or 0 for what is none; 1 for a predicate.
  [[nodiscard]] uint32_t register_bytes(const Operand& operand) const;
  /// Whether it is "_", which drops what is written to it.
  [[nodiscard]] static bool is_sink(const Operand& operand) {
    return operand.kind == Operand::Kind::name && operand.name == "_";
  }
  /// "[%rd1+8]": Step::a, immediate, wide_address; of .param also mode2.
  void address(Step& step, const Operand& operand);
  uint32_t list(const std::vector<uint32_t>& entries);
  uint32_t constant(uint64_t value, uint32_t bytes);
  [[nodiscard]] uint32_t label(const Operand& operand) const;

  [[noreturn]] void refuse(const std::string& why) const;
  void need(size_t operands_) const;

 private:
  struct Wanted {
    uint64_t value;
    uint32_t bytes;
    Relocation::Kind kind;
    std::string symbol;
    auto operator<=>(const Wanted&) const = default;
  };
  void lay_out_registers();
  void lay_out_params();
  [[nodiscard]] bool number(const Operand& operand, Type type, uint64_t& value) const;
  [[nodiscard]] bool symbol(const Operand& operand, uint32_t bytes, uint32_t& at);
  uint32_t placed(const Wanted& wanted, bool relocated);
  [[nodiscard]] uint32_t special(const std::string& name, uint32_t bytes);

  const Module& module_;
  const Function& function_;
  Code& code_;
  const Instruction* instruction_ = nullptr;
  std::vector<std::string_view> parts_;
  std::vector<bool> taken_;
  std::vector<uint32_t> reads_, writes_;
  std::map<std::string, uint32_t> numbers_;  // of registers
  std::map<Wanted, uint32_t> constants_;
  std::map<Special, uint32_t> specials_;
  uint32_t register_bytes_ = 0;
};

/// A group of instructions: the handler of the one that is decoded, null if it is none of the group's.
using Group = Handler (*)(Decoder&, Step&);
struct NamedGroup {
  Kind kind;
  Group decode;
};
[[nodiscard]] const std::vector<NamedGroup>& groups();

Handler integer_group(Decoder& d, Step& step);
Handler product_group(Decoder& d, Step& step);
Handler bits_group(Decoder& d, Step& step);
Handler carry_group(Decoder& d, Step& step);
Handler dot_group(Decoder& d, Step& step);
Handler video_group(Decoder& d, Step& step);
Handler pair_group(Decoder& d, Step& step);
Handler logic_group(Decoder& d, Step& step);
Handler compare_group(Decoder& d, Step& step);
Handler set_group(Decoder& d, Step& step);
Handler move_group(Decoder& d, Step& step);
Handler convert_group(Decoder& d, Step& step);
Handler exact_group(Decoder& d, Step& step);
Handler real_group(Decoder& d, Step& step);
Handler half_group(Decoder& d, Step& step);
Handler memory_group(Decoder& d, Step& step);
Handler atomic_group(Decoder& d, Step& step);
Handler control_group(Decoder& d, Step& step);
Handler warp_group(Decoder& d, Step& step);
Handler barrier_group(Decoder& d, Step& step);
Handler arrival_group(Decoder& d, Step& step);
Handler cluster_group(Decoder& d, Step& step);
Handler async_group(Decoder& d, Step& step);
Handler bulk_group(Decoder& d, Step& step);
Handler load_matrix_group(Decoder& d, Step& step);
Handler mma_group(Decoder& d, Step& step);
Handler wgmma_group(Decoder& d, Step& step);
Handler wmma_group(Decoder& d, Step& step);

}  // namespace parity::ptx
