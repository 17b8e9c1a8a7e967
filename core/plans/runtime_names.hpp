// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Under which name, in which rows of which expert, transformers holds a published tensor; and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/plans/runtime_rules.hpp"

namespace parity {

/// A share of a tensor of the loaded model.
struct RuntimePlace {
  std::string name;     // "model.layers.3.mlp.experts.gate_up_proj"
  int64_t member = -1;  // index along the first axis, of experts that are stacked; -1: none
  int64_t part = 0;     // of `parts` equal shares of the rows: gate and up are one matrix
  int64_t parts = 1;

  bool operator==(const RuntimePlace&) const = default;
};

/// Names of one class of transformers: "MiniMaxM3SparseForConditionalGeneration", "MiniMaxM3VLForCausalLM",
/// "MiniMaxM2ForCausalLM" (5.1.0 and later) or one of "MiniMaxFor…" (4.56.2). Scales of quantised matrices come with
/// them; where the loader dequantises, they are multiplied into the matrix and have no name.
class RuntimeNames {
 public:
  /// `model_class` empty: the class that the system's config.json names. Error{unsupported} lists the classes.
  [[nodiscard]] static RuntimeNames of(const std::string& system, const std::string& model_class = {});

  /// Nothing for a name that the class does not know; runtime() throws Error{not_found} instead.
  [[nodiscard]] std::optional<RuntimePlace> find(const std::string& published) const;
  [[nodiscard]] RuntimePlace runtime(const std::string& published) const;
  /// The tensor with that name. Error{not_found} if there is none.
  [[nodiscard]] std::string published(const RuntimePlace& place) const;

  [[nodiscard]] const std::string& model_class() const { return model_class_; }

 private:
  std::string model_class_;
  const std::vector<RuntimeRule>* rules_ = nullptr;
};

}  // namespace parity
