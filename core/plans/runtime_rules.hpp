// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The tables of runtime_names.hpp: one line for each kind of tensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity {

/// The storage of one kind of tensor in a loaded model. "{L}" is a layer's number, "{E}" an expert's, "*" any ending.
struct RuntimeRule {
  std::string published;
  std::string runtime;
  int64_t part = 0;
  int64_t parts = 1;
};

/// The rules of one class of transformers, of which the first match applies; nullptr for an unknown class.
[[nodiscard]] const std::vector<RuntimeRule>* runtime_rules(const std::string& model_class);
/// All known classes, for error messages.
[[nodiscard]] std::vector<std::string> runtime_classes();

}  // namespace parity
