// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Quantised checkpoints: their configuration, and the nodes that decode their tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/plan.hpp"

namespace parity {

/// "quantization_config" of a config.json.
struct Quantisation {
  bool present = false;
  bool exponents = false;  // mxfp8: scales are exponents in u8; otherwise fp8: binary32 factors
  int64_t block_rows = 1;  // rows of the block that shares one scale
  int64_t block_columns = 32;
  std::vector<std::string> ignored;  // modules that are not quantised, as whole dotted parts of a tensor's name

  /// Whether the published matrix has codes and scales; embeddings never have them.
  [[nodiscard]] bool covers(const std::string& published) const;
  /// Type in which router weights and correction biases are stored: a quantised checkpoint keeps them in binary32.
  [[nodiscard]] Held router() const { return present ? Held::single : Held::working; }
};

/// Reads "quantization_config". Error{unsupported}: a method other than mxfp8 and fp8. Error{schema} names a wrong key.
[[nodiscard]] Quantisation read_quantisation(const nlohmann::json& config);

/// The name under which transformers stores a published parameter of `system`, or the published name if transformers
/// has no other. "{}" in a name stands for any expert.
[[nodiscard]] std::string runtime_name(const std::string& system, const std::string& published);

/// Inserts a node `dequantise` at "weights/<runtime name>" before all other nodes, for every quantised matrix of the
/// plan. It reads codes and scales as they are in the file, and writes the parameter in its type in memory. No node
/// reads its output, because implementations decode parameters when they load them.
void add_dequantise_nodes(const Quantisation& quantisation, Plan& plan);

}  // namespace parity
