// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Quantised checkpoints: what their configuration says, and the nodes that decode their tensors.
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
  bool exponents = false;  // mxfp8: scales are u8 powers of two; fp8: binary32 factors
  int64_t block_rows = 1;  // rows that share a scale …
  int64_t block_columns = 32;
  std::vector<std::string> ignored;  // modules that stay as they are, whole dotted parts of a name

  /// Whether the published matrix has codes and scales: embeddings never have.
  [[nodiscard]] bool covers(const std::string& published) const;
  /// Router weights and correction biases are renamed on load and keep the type of the file.
  [[nodiscard]] Held router() const { return present ? Held::single : Held::working; }
};

/// Error{unsupported} for other methods than mxfp8 and fp8; Error{schema} names the key.
[[nodiscard]] Quantisation read_quantisation(const nlohmann::json& config);

/// The module under which transformers holds a parameter of the system ("{}": any expert), or its published name where
/// transformers has none.
[[nodiscard]] std::string runtime_name(const std::string& system, const std::string& published);

/// A node `dequantise` before all others for every matrix of the plan, at "weights/<runtime name>": codes and scales
/// as in the file, out as the implementation holds the parameter. Nothing reads the taps: parameters are decoded when they
/// are loaded.
void add_dequantise_nodes(const Quantisation& quantisation, Plan& plan);

}  // namespace parity
