// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: a minimal golden with every feature, computed by the reference in binary64.
#pragma once

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/plans/systems.hpp"
#include "golden/files/safetensors.hpp"
#include "reference/reference.hpp"
#include "replay/runs/synthesize.hpp"

namespace parity::replay::tests {

/// Three layers: dense attention and MLP, then twice sparse attention and experts. 4 of 6 blocks are kept.
inline const char* const kTinyConfig = R"({"model_type": "minimax_m3_vl", "text_config": {
  "vocab_size": 11, "hidden_size": 6, "intermediate_size": 5, "dense_intermediate_size": 7, "shared_intermediate_size": 4,
  "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4, "partial_rotary_factor": 0.5,
  "num_local_experts": 5, "num_experts_per_tok": 2, "moe_layer_freq": [0, 1, 1],
  "sparse_attention_config": {"sparse_attention_freq": [0, 1, 1], "sparse_num_index_heads": 2, "sparse_index_dim": 4,
    "sparse_block_size": 2, "sparse_topk_blocks": 4, "sparse_local_block": 1}}})";

/// Returns a request for a prefill of 9 tokens, a decode call and a chunk of two, with two sequences each.
inline PlanRequest tiny_request(DType working) {
  return {"hf-5.12.0",
          "eager",
          working,
          {{"000", 2, 9, 9, true, false}, {"001", 2, 1, 10, false, false}, {"002", 2, 2, 12, false, false}}};
}

inline void write_tiny_golden(const std::filesystem::path& folder, DType working = DType::f64,
                              const std::string& config = kTinyConfig) {
  const Plan plan = build_plan("minimax_m3_vl", nlohmann::json::parse(config), tiny_request(working));
  const golden::SyntheticSource weights = synthetic_checkpoint(plan, 7);
  std::vector<std::pair<std::string, TensorView>> tensors;
  for (const std::string& name : weights.names()) tensors.emplace_back(name, weights.tensor(name));
  std::filesystem::create_directories(folder / "checkpoint");
  golden::write_safetensors(folder / "checkpoint" / "model.safetensors", tensors);
  std::ofstream(folder / "checkpoint" / "config.json") << config;
  auto writer = golden::ActivationWriter::create(folder / "activations.h5",
                                                 {{"system", "minimax_m3_vl"},
                                                  {"oracle", "parity reference (synthetic)"},
                                                  {"profile", working == DType::f64 ? "hf-5.12.0-f64" : "hf-5.12.0"},
                                                  {"attention", "eager"},
                                                  {"dtype", std::string(to_string(working))}});
  writer.write_text("config", config);
  writer.group_attribute("steps/000", "kind", "prefill");
  writer.group_attribute("steps/001", "kind", "decode");
  writer.group_attribute("steps/002", "kind", "chunk");
  write_synthetic_recording(plan, reference::registry(), weights, 7, writer);
  writer.commit();
}

}  // namespace parity::replay::tests
