// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The guards of a kernel out of the tree, which `battery` runs after its cases: no registry lists it for `selftest`.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/battery/judged_kernel.hpp"

namespace parity::cli {

struct ForeignGuards {
  std::vector<cases::KernelGuards> kernels;  // by working type; empty: not run
  std::string error;                         // why they ended early

  [[nodiscard]] bool hold() const;
  [[nodiscard]] std::string text() const;  // one line for each kernel
  [[nodiscard]] nlohmann::ordered_json json() const;
};

/// Nothing is run for a kernel of the tree.
[[nodiscard]] ForeignGuards foreign_guards(const JudgedKernel& kernel);

}  // namespace parity::cli
