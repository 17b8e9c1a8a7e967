// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/text/parse_body.hpp"

#include <algorithm>

#include "optimized/ptx/text/parse_operand.hpp"
#include "optimized/ptx/text/parse_variable.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kMostRegisters = 1U << 20U;  // of one function
constexpr size_t kDeepestScopes = 64;           // scopes within scopes

class Body {
 public:
  Body(Cursor& cursor, Locations& locations, Function& function)
      : cursor_(cursor), locations_(locations), function_(function) {}

  void parse() {
    cursor_.expect("{");
    scopes_.push_back({});
    while (!scopes_.empty()) parse_one();
  }

 private:
  /// Names that were declared in a scope within the function have other ones for the function.
  struct Scope {
    std::map<std::string, std::string> names;
    std::vector<std::string> labels;
    size_t first = 0;  // instruction
  };

  void parse_one() {
    if (cursor_.at_end()) cursor_.fail("'}' is expected at the end of " + function_.name);
    if (cursor_.take_if("{")) {
      if (scopes_.size() == kDeepestScopes) cursor_.fail("fewer scopes within scopes are expected");
      scopes_.push_back({{}, {}, function_.body.size()});
    } else if (cursor_.take_if("}")) {
      close_scope();
    } else if (cursor_.at_directive()) {
      parse_directive();
    } else if (!cursor_.take_if(";")) {
      if (cursor_.at_word() && cursor_.peek(1).is(":")) {
        parse_label();
      } else {
        parse_instruction();
      }
    }
  }

  std::string declared(const std::string& name) {
    if (scopes_.size() == 1) return name;
    return scopes_.back().names[name] = fmt::format("{}@{}", name, ++serial_);
  }

  void resolve(Operand& operand) const {
    for (size_t scope = scopes_.size(); operand.kind == Operand::Kind::name && scope-- > 1;) {
      const auto found = scopes_[scope].names.find(operand.name);
      if (found == scopes_[scope].names.end()) continue;
      operand.name = found->second;
      break;
    }
    for (Operand& part : operand.parts) resolve(part);
  }

  static void rename(Operand& operand, const std::string& from, const std::string& to) {
    if (operand.kind == Operand::Kind::name && operand.name == from) operand.name = to;
    for (Operand& part : operand.parts) rename(part, from, to);
  }

  /// A label of an inner scope is known there alone.
  void close_scope() {
    const Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    if (scopes_.empty()) return;
    for (const std::string& label : scope.labels) {
      const std::string unique = fmt::format("{}@{}", label, ++serial_);
      function_.labels[unique] = function_.labels.at(label);
      function_.labels.erase(label);
      for (auto& [list, targets] : function_.targets) std::replace(targets.begin(), targets.end(), label, unique);
      for (size_t i = scope.first; i < function_.body.size(); ++i) {
        for (Operand& operand : function_.body[i].operands) rename(operand, label, unique);
      }
    }
  }

  void parse_directive() {
    const std::string word(cursor_.take().text);
    if (word == ".loc") {
      location_ = locations_.parse(cursor_);
    } else if (word == ".reg") {
      parse_registers();
    } else if (word == ".shared" || word == ".local" || word == ".param") {
      auto [name, variable] = parse_variable(cursor_, word);
      function_.variables[declared(name)] = std::move(variable);
      cursor_.expect(";");
    } else if (word == ".pragma") {
      cursor_.skip_past(";");
    } else {
      cursor_.fail(fmt::format("a directive of a function is expected instead of {}", word));
    }
  }

  void parse_registers() {
    const std::string type = cursor_.word("a type");
    const uint32_t bits = bits_of_type(type);
    if (bits == 0) cursor_.fail(fmt::format("a type is expected instead of {}", type));
    do {
      const std::string name = cursor_.word("a register");
      if (!cursor_.take_if("<")) {
        declare_register(name, bits);
        continue;
      }
      const uint64_t count = cursor_.number("a number of registers", kMostRegisters);
      cursor_.expect(">");
      for (uint64_t i = 0; i < count; ++i) declare_register(fmt::format("{}{}", name, i), bits);
    } while (cursor_.take_if(","));
    cursor_.expect(";");
  }

  void declare_register(const std::string& name, uint32_t bits) {
    function_.registers[declared(name)] = {bits};
    if (function_.registers.size() > kMostRegisters)
      cursor_.fail(fmt::format("at most {} registers are expected", kMostRegisters));
  }

  void parse_label() {
    const std::string name = cursor_.word("a label");
    cursor_.expect(":");
    if (cursor_.at(".branchtargets") || cursor_.at(".calltargets")) {
      cursor_.take();
      std::vector<std::string>& list = function_.targets[name];
      for (const Operand& target : parse_operands(cursor_)) list.push_back(target.name);
      return;
    }
    if (cursor_.at(".callprototype")) {
      cursor_.skip_past(";");
      return;
    }
    const bool fresh = function_.labels.emplace(name, static_cast<uint32_t>(function_.body.size())).second;
    if (!fresh) cursor_.fail(fmt::format("a label other than {}, which is there already, is expected", name));
    if (scopes_.size() > 1) scopes_.back().labels.push_back(name);
  }

  void parse_instruction() {
    Instruction instruction;
    instruction.line = cursor_.peek().line;
    instruction.location = location_;
    if (cursor_.take_if("@")) {
      instruction.guard = parse_operand(cursor_);
      resolve(*instruction.guard);
    }
    instruction.opcode = cursor_.word("an instruction");
    instruction.operands = parse_operands(cursor_);
    for (Operand& operand : instruction.operands) resolve(operand);
    function_.body.push_back(std::move(instruction));
  }

  Cursor& cursor_;
  Locations& locations_;
  Function& function_;
  std::vector<Scope> scopes_;
  uint32_t location_ = 0, serial_ = 0;
};

}  // namespace

void parse_body(Cursor& cursor, Locations& locations, Function& function) { Body(cursor, locations, function).parse(); }

}  // namespace parity::ptx
