// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The tables of runtime_names.hpp: one line for each kind of tensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity {

/// "{L}" stands for a layer's number, "{E}" for an expert's (in the runtime name it is the member), "*" for any ending.
struct RuntimeRule {
  std::string published;
  std::string runtime;
  int64_t part = 0;
  int64_t parts = 1;
};

/// The rules of one class of transformers, the first that fits counts; nullptr when it is not known.
[[nodiscard]] const std::vector<RuntimeRule>* runtime_rules(const std::string& model_class);
/// For messages.
[[nodiscard]] std::vector<std::string> runtime_classes();

}  // namespace parity
