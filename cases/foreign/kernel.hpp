// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A kernel that is not in this tree, executed by the PTX machine and judged as kernels of the tree are.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cases/battery.hpp"
#include "cases/foreign/binding.hpp"
#include "cases/guards.hpp"

namespace parity::cases {

/// Whether the word of --kernel names one: "cu:mine.cu", "ptx:mine.ptx".
[[nodiscard]] bool is_foreign(const std::string& word);

class ForeignKernel {
 public:
  /// Compiles and checks everything that needs no call. `binding`: a file; empty: the source's name with .json.
  /// `checked`: races and unwritten reads are looked for in all lanes but the large one. Error{usage} or Error{device}.
  ForeignKernel(const std::string& word, const std::filesystem::path& binding, bool checked);

  [[nodiscard]] const std::string& component() const { return binding_->definition->name; }
  [[nodiscard]] bool computes(const CaseSpec& spec) const;
  /// Returns the case, changed if the binding requires it; nullopt for a case that it excludes (fitting.hpp).
  [[nodiscard]] std::optional<CaseSpec> fitted(const CaseSpec& spec) const;
  /// The conditions of the binding in words: "H % 8 == 0, D == 128".
  [[nodiscard]] std::string conditions() const;
  [[nodiscard]] CaseKernel kernel() const;
  /// The guards on a dozen calls of each working type.
  [[nodiscard]] std::vector<KernelGuards> guards() const;

 private:
  bool checked_;
  std::shared_ptr<Binding> binding_;
  std::shared_ptr<Registry> plain_ = std::make_shared<Registry>(), with_checks_ = std::make_shared<Registry>();
};

}  // namespace parity::cases
