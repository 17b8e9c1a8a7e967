// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/nemo/nemo_m3_config.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "core/plans/config_reader.hpp"

namespace parity {
namespace {

using nlohmann::json;

constexpr int64_t kMostDepths = 64;
constexpr int64_t kMostForcedBlocks = 65536;

void refuse_unless(const ConfigReader& reader, const char* key, const json& wanted) {
  const json* given = reader.present(key);
  PARITY_CHECK(given == nullptr || *given == wanted, unsupported, "config key '{}' is {}; NeMo takes only {}", key,
               given->dump(), wanted.dump());
}

void read_sparse(const json& object, NemoM3Config& config) {
  const ConfigReader sparse(object);
  sparse.integer("sparse_init_block", config.init_blocks, 0, kMostForcedBlocks);
  refuse_unless(sparse, "sparse_score_type", "max");
  const json* disabled = sparse.present("sparse_disable_index_value");
  if (disabled == nullptr || !disabled->is_array()) return;
  const auto& layers = config.text.sparse_attention;
  for (size_t layer = 0; layer < std::min(layers.size(), disabled->size()); ++layer) {
    const json& value = (*disabled)[layer];
    const bool enabled = value == 0 || value == false;
    PARITY_CHECK(
        !layers[layer] || !enabled, unsupported,
        "config: sparse_disable_index_value is {} in layer {}, which is sparse; NeMo has no index values: use 1",
        value.dump(), layer);
  }
}

}  // namespace

NemoM3Config parse_nemo_m3_config(const json& config) {
  NemoM3Config result{parse_m3_text_config(config)};
  const json* nested = ConfigReader(config).object("text_config");
  const ConfigReader text(nested == nullptr ? config : *nested);
  result.rotary_width = result.text.rotary_width();
  if (text.object("rope_parameters") == nullptr)
    text.integer("rotary_dim", result.rotary_width, 2, result.text.head_dim);
  PARITY_CHECK(result.rotary_width % 2 == 0, schema, "config key 'rotary_dim' is {}; expected an even number",
               result.rotary_width);
  bool zero_centred = true;
  text.boolean("use_gemma_norm", zero_centred);
  result.gain_offset = zero_centred ? 1.0 : 0.0;
  result.local_blocks = std::min<int64_t>(result.text.index_local_blocks, 1);
  result.swiglu_limit =
      result.text.swiglu_limit > 0.0 ? result.text.swiglu_limit : std::numeric_limits<double>::infinity();
  text.integer("num_mtp_modules", result.mtp_depths, 0, kMostDepths);
  refuse_unless(text, "attention_output_gate", false);
  refuse_unless(text, "qk_norm_type", "per_head");
  PARITY_CHECK(!result.text.tie_word_embeddings, unsupported,
               "config key 'tie_word_embeddings' is true; NeMo takes only false");
  if (const json* sparse = text.object("sparse_attention_config"); sparse != nullptr) read_sparse(*sparse, result);
  return result;
}

}  // namespace parity
