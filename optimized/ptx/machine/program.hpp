// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A module that is ready to run: decoded once, never changed, shared by threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "optimized/ptx/machine/code.hpp"

namespace parity::ptx {

/// An instruction that the machine does not execute.
struct Unknown {
  std::string function, opcode, message;
  uint32_t line = 0;  // of the PTX text
};

class Program {
 public:
  /// Throws Error{schema} as parse() does. An unknown instruction is an Error{unsupported} only when it is executed.
  explicit Program(std::string_view text) : Program(parse(text)) {}
  explicit Program(Module module);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] const Module& module() const { return module_; }
  /// A pointer that identifies this program: no other program has it while somebody holds it.
  [[nodiscard]] const std::shared_ptr<const char>& identity() const { return identity_; }
  [[nodiscard]] const std::vector<Unknown>& unknown() const { return unknown_; }
  [[nodiscard]] const std::vector<Code>& codes() const { return codes_; }
  /// Returns the function of that name, or null.
  [[nodiscard]] const Code* find(std::string_view name) const;
  /// Returns the kernel of that name. Throws Error{not_found}, which lists the kernels.
  [[nodiscard]] const Code& entry(std::string_view name) const;
  [[nodiscard]] const Code& code_of(uint32_t step) const;  // by the number of a step in the program
  [[nodiscard]] const Step& step(uint32_t number) const;
  /// log2 of the bytes that races are looked for in: the narrowest access of the program, at most 4 bytes.
  [[nodiscard]] uint32_t granule() const { return granule_; }

 private:
  Module module_;
  std::vector<Code> codes_;
  std::vector<Unknown> unknown_;
  uint32_t granule_ = 2;
  std::shared_ptr<const char> identity_ = std::make_shared<const char>();
};

}  // namespace parity::ptx
