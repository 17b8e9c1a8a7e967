// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where transformers stores a published tensor (name, expert, rows), and which published tensor is stored there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/plans/runtime_rules.hpp"

namespace parity {

/// Part of a tensor of the loaded model that one published tensor fills.
struct RuntimePlace {
  std::string name;     // "model.layers.3.mlp.experts.gate_up_proj"
  int64_t member = -1;  // index along the first axis of stacked experts; -1: not stacked
  int64_t part = 0;     // index among `parts` equal shares of the rows: gate and up are one matrix
  int64_t parts = 1;

  bool operator==(const RuntimePlace&) const = default;
};

/// Names of the parameters of one class of transformers: "MiniMaxM3SparseForConditionalGeneration",
/// "MiniMaxM3VLForCausalLM", "MiniMaxM2ForCausalLM" (5.1.0 and later) or one of "MiniMaxFor…" (4.56.2). Scales of
/// quantised matrices have names, too, unless the loader dequantises: then the scales are multiplied into the matrix.
class RuntimeNames {
 public:
  /// Names of `model_class`; if empty, of the class in the system's config.json. Error{unsupported} lists the classes.
  [[nodiscard]] static RuntimeNames of(const std::string& system, const std::string& model_class = {});

  /// The part that `published` fills. If there is none, find() returns nothing; runtime() throws Error{not_found}.
  [[nodiscard]] std::optional<RuntimePlace> find(const std::string& published) const;
  [[nodiscard]] RuntimePlace runtime(const std::string& published) const;
  /// The published tensor that fills the part. Throws Error{not_found} if there is none.
  [[nodiscard]] std::string published(const RuntimePlace& place) const;

  [[nodiscard]] const std::string& model_class() const { return model_class_; }

 private:
  std::string model_class_;
  const std::vector<RuntimeRule>* rules_ = nullptr;
};

}  // namespace parity
