// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// PTX as it is written: functions, variables and instructions with their source lines. Nothing is decoded yet.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parity::ptx {

/// A line of a source file, and the line of the kernel that it was inlined into; equal when it was not.
struct Location {
  uint32_t file = 0, line = 0;
  uint32_t outer_file = 0, outer_line = 0;
};

/// One operand of an instruction.
struct Operand {
  enum class Kind : uint8_t {
    name,     // register, variable, label, function: `name`, with `offset` added
    integer,  // `bits`, two's complement
    single,   // `bits` of a binary32 number: 0f3F800000
    real,     // `bits` of a binary64 number: 0d3FF0000000000000, 1.5
    address,  // [parts[0]], or of a tensor [parts[0], parts[1]]
    vector,   // {a, b}
    list,     // (a, b): of a call
    pair,     // a|b
  };
  Kind kind = Kind::name;
  std::string name;
  uint64_t bits = 0;
  int64_t offset = 0;
  bool negated = false;  // !%p1
  std::vector<Operand> parts;
};

struct Instruction {
  std::string opcode;  // "ld.global.v4.f32"
  std::vector<Operand> operands;
  std::optional<Operand> guard;  // @%p1, @!%p1
  uint32_t line = 0;             // of the PTX text
  uint32_t location = 0;         // of Module::locations
};

/// A variable of the state space ".global", ".const", ".shared", ".local" or ".param".
struct Variable {
  std::string space;
  uint64_t alignment = 1, bytes = 0;
  bool unsized = false;  // extern [] of dynamic shared memory
  struct Initial {
    uint64_t bits = 0;
    std::string symbol;  // whose address it is, plus `bits`; empty: `bits` alone
  };
  std::vector<Initial> initial;  // each of `element` bytes; none: zeros
  uint64_t element = 1;
};

struct Register {
  uint32_t bits = 0;  // 1 for a predicate
};

/// A register or variable of an inner scope has "@" and a number after its name.
struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;
  std::vector<std::pair<std::string, Variable>> parameters, results;  // in order
  std::map<std::string, Register> registers;
  std::map<std::string, Variable> variables;                // .shared, .local, .param
  std::map<std::string, std::vector<std::string>> targets;  // of .branchtargets and .calltargets
  std::map<std::string, uint32_t> labels;                   // -> index of an instruction; may be one past the last
  std::vector<Instruction> body;
  std::map<std::string, std::array<uint32_t, 3>> directives;  // ".reqntid" -> {128, 1, 1}
};

struct Module {
  std::string version, target;
  std::map<std::string, Function> functions;
  std::map<std::string, Variable> variables;
  std::vector<Location> locations{Location{}};  // [0]: none is known
  std::map<uint32_t, std::string> files;
};

/// Throws Error{schema} with the line if the text is not PTX, or declares more than a GPU has.
[[nodiscard]] Module parse(std::string_view text);

}  // namespace parity::ptx
