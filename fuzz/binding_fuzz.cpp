// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The binding of a kernel out of the tree, and the values of its expressions.
#include "cases/foreign/binding.hpp"
#include "fuzz/fuzz.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) {
  static const golden::TemporaryFolder folder;
  static const auto file = folder / "binding.json";
  write_new(file, input);
  const cases::Binding binding = cases::read_binding(file);
  const auto evaluate = [](const cases::IntegerExpression& expression) {
    static_cast<void>(expression.value([](const std::string& name) { return static_cast<int64_t>(name.size()); }));
  };
  for (const auto& extent : binding.grid) evaluate(extent);
  for (const auto& extent : binding.block) evaluate(extent);
  evaluate(binding.shared);
  for (const auto& condition : binding.conditions)
    static_cast<void>(condition.holds([](const std::string& name) { return static_cast<int64_t>(name.size()); }));
  for (const auto& argument : binding.arguments) {
    static_cast<void>(binding.passes_strides_of(argument.text));
    if (argument.expression) evaluate(*argument.expression);
  }
}

}  // namespace parity::fuzz
