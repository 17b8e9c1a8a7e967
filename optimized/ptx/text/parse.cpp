// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/text/parse_body.hpp"
#include "optimized/ptx/text/parse_variable.hpp"

namespace parity::ptx {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : cursor_(tokens_of(text)), locations_(module_) {}

  Module parse() {
    while (!cursor_.at_end()) parse_one();
    return std::move(module_);
  }

 private:
  void parse_one() {
    if (cursor_.take_if(";")) return;
    if (!cursor_.at_directive()) cursor_.fail("a directive of a module is expected");
    const std::string word(cursor_.take().text);
    if (word == ".visible" || word == ".extern" || word == ".weak" || word == ".common") return;
    if (word == ".version") {
      module_.version = cursor_.word("a version");
    } else if (word == ".target") {
      parse_target();
    } else if (word == ".address_size") {
      if (cursor_.number("an address size", 64) != 64) cursor_.fail("an address size of 64 is expected");
    } else if (word == ".entry" || word == ".func") {
      parse_function(word == ".entry");
    } else if (word == ".global" || word == ".const" || word == ".shared") {
      auto [name, variable] = parse_variable(cursor_, word);
      module_.variables[name] = std::move(variable);
      cursor_.expect(";");
    } else if (word == ".file") {
      parse_file();
    } else if (word == ".section") {
      cursor_.skip_past("{");
      cursor_.skip_past("}");
    } else if (word == ".pragma" || word == ".alias") {
      cursor_.skip_past(";");
    } else {
      cursor_.fail(fmt::format("a directive of a module is expected instead of {}", word));
    }
  }

  void parse_target() {
    module_.target = cursor_.word("a target");
    while (cursor_.take_if(",")) cursor_.word("an option of the target");
  }

  /// .file 1 "kernel.cu", and perhaps a time stamp and a size
  void parse_file() {
    const auto number = static_cast<uint32_t>(cursor_.number("the number of a file", ~uint32_t{0}));
    if (cursor_.peek().kind != Token::Kind::string) cursor_.fail("the name of a file is expected");
    module_.files[number] = std::string(cursor_.take().text);
    while (cursor_.take_if(",")) cursor_.word("a number");
  }

  void parse_function(bool entry) {
    Function function;
    function.entry = entry;
    function.results = parse_parameters(cursor_);
    function.name = cursor_.word("the name of a function");
    function.parameters = parse_parameters(cursor_);
    while (cursor_.at_directive()) parse_performance(function);
    if (!cursor_.take_if(";")) {
      function.defined = true;
      parse_body(cursor_, locations_, function);
    }
    Function& known = module_.functions[function.name];
    if (known.defined && function.defined) cursor_.fail(fmt::format("one body of {} is expected", function.name));
    if (!known.defined) known = std::move(function);
  }

  /// .maxntid 256, 1, 1   .reqntid 128   .explicitcluster   .noreturn
  void parse_performance(Function& function) {
    const std::string word(cursor_.take().text);
    if (word == ".pragma") {
      cursor_.skip_past(";");
      return;
    }
    std::array<uint32_t, 3> numbers{1, 1, 1};
    for (size_t i = 0; i < numbers.size() && cursor_.at_word() && !cursor_.at_directive(); ++i) {
      numbers[i] = static_cast<uint32_t>(cursor_.number("a number", ~uint32_t{0}));
      if (!cursor_.take_if(",")) break;
    }
    function.directives[word] = numbers;
  }

  Cursor cursor_;
  Module module_;
  Locations locations_;
};

}  // namespace

Module parse(std::string_view text) { return Parser(text).parse(); }

}  // namespace parity::ptx
