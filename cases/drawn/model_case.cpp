// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/drawn/model_case.hpp"

#include <fmt/core.h>

#include "cases/drawn/extents.hpp"
#include "core/error.hpp"

namespace parity::cases {
namespace {

using Json = nlohmann::json;

/// Returns the settings that all models have.
Json common_config(Extents& e) {
  const int64_t groups = e.range('G', 1, 2);
  const int64_t width = 4 * e.range('D', 1, 4);
  e.choose('b', {1, 2, 3, 8, 16});
  return {{"vocab_size", 11},
          {"hidden_size", e.extent('H', 33)},
          {"intermediate_size", e.extent('F', 33)},
          {"num_hidden_layers", e.range('L', 1, 3)},
          {"num_attention_heads", groups * e.range('a', 1, 3)},
          {"num_key_value_heads", groups},
          {"head_dim", width},
          {"num_local_experts", e.range('E', 1, 6)},
          {"num_experts_per_tok", e.within('T', 1, 3, e.size('E'))}};
}

/// Draws an M3. Its first layer is dense unless it is the only one.
Json m3(Extents& e) {
  Json text = common_config(e);
  std::vector<int> sparse(static_cast<size_t>(e.size('L')), 1);
  if (sparse.size() > 1) sparse.front() = 0;
  text["dense_intermediate_size"] = text["shared_intermediate_size"] = text["intermediate_size"];
  text["partial_rotary_factor"] = 0.5;
  text["moe_layer_freq"] = sparse;
  text["sparse_attention_config"] = {
      {"sparse_attention_freq", sparse},          {"sparse_num_index_heads", e.size('G')},
      {"sparse_index_dim", text["head_dim"]},     {"sparse_block_size", e.size('b')},
      {"sparse_topk_blocks", e.range('n', 1, 4)}, {"sparse_local_block", 1}};
  return {{"model_type", "minimax_m3_vl"}, {"text_config", text}};
}

Json m2(Extents& e) {
  Json config = common_config(e);
  config["model_type"] = "minimax_m2";
  config["rotary_dim"] = config["head_dim"].get<int64_t>() / 2;
  return config;
}

Json text01(Extents& e) {
  Json config = common_config(e);
  config["model_type"] = "minimax";
  config["rotary_dim"] = config["head_dim"].get<int64_t>() / 2;
  config["block_size"] = e.size('b');
  for (int64_t layer = 0; layer < e.size('L'); ++layer)
    config["layer_types"].push_back(layer % 2 == 0 ? "linear_attention" : "full_attention");
  return config;
}

/// Draws the number of tokens: one, whole blocks, or one token more.
int64_t draw_tokens(Extents& e) {
  if (!e.boundary()) return e.range('S', 1, 64);
  const int64_t blocks = e.size('b') * e.from(1, 5);
  std::vector<int64_t> edges{1, blocks, blocks + 1};
  if (blocks > 1) edges.push_back(blocks - 1);
  return e.choose('S', edges);
}

}  // namespace

std::string ModelCase::text() const {
  std::string result;
  for (const auto& [letter, extent] : drawn) result += fmt::format("{}{}{}", result.empty() ? "" : " ", letter, extent);
  return result;
}

std::vector<std::string> drawn_models() { return {"m3", "m2", "text01"}; }

ModelCase draw_model(const CaseSpec& spec) {
  PARITY_CHECK(spec.lane == Lane::boundary || spec.lane == Lane::anywhere, usage,
               "case {}: models have only the lanes boundary and anywhere; use one of these", spec.text());
  Extents extents(spec);
  ModelCase drawn;
  if (spec.component == "m3") drawn.config = m3(extents);
  if (spec.component == "m2") drawn.config = m2(extents);
  if (spec.component == "text01") drawn.config = text01(extents);
  PARITY_CHECK(!drawn.config.is_null(), usage, "model '{}' has no random cases; use m3, m2 or text01", spec.component);
  drawn.batch = extents.range('B', 1, 2);
  drawn.tokens = draw_tokens(extents);
  drawn.decode = extents.range('Z', 0, 2);
  drawn.drawn = extents.drawn();
  return drawn;
}

}  // namespace parity::cases
