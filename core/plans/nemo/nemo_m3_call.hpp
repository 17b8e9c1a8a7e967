// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One forward pass of MiniMax-M3 as NeMo Automodel computes it. It is written in stages, so that the passes of several
// processes can be interleaved in one plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/plans/decoder_call.hpp"
#include "core/plans/m3/m3_vision_config.hpp"
#include "core/plans/nemo/nemo_m3_config.hpp"

namespace parity {

/// A call, with the names below which its taps are.
struct NemoPass {
  Call call;
  size_t step = 0;                       // index of the pass in the plan
  std::string root;                      // prefix of its taps: "steps/000/"
  std::string inputs;                    // prefix of its tokens/
  std::string ids = "tokens/input_ids";  // below `inputs`
  bool loads_only = false;               // a second micro-batch: only its routers' loads are used
  Split split = Split::none;             // what the processes share; the fields below are for several processes
  size_t rank = 0;                       // index of the process that computes the pass
  std::vector<std::string> peers;        // `root` of every process
  int64_t all_rows = 0;                  // B * S, summed over all processes
  int64_t first_row = 0;                 // first row of this process among `all_rows`
};

class NemoCall : DecoderCall {
 public:
  NemoCall(const NemoM3Config& config, const M3VisionConfig* vision, const PlanRequest& request, const NemoPass& pass,
           PlanWriter& writer);

  /// Writes inputs, vision towers, embeddings and rotary tables.
  void open();
  /// Writes one layer in four stages: norm and projections; attention and routing; work for tokens of other processes;
  /// the feed-forward branch. The passes of all processes must finish a stage before any pass begins the next one.
  void project(size_t layer);
  void attend(size_t layer);
  void exchange(size_t layer);
  void feed(size_t layer);
  /// Writes the final norm, the head, the prediction of further tokens, and the losses.
  void close();

  /// Writes the correction bias after this call, from its expert load and, if not nullptr, that of `second`.
  void update_bias(const NemoPass* second);

  /// Writes the outputs of all processes that shared a sequence, joined in the order of the sequence.
  void gather_outputs();

 private:
  /// One decoder layer: the prefixes of its taps and parameters, and its kind.
  struct Layer {
    std::string taps;     // "text/layers/03/"
    std::string weights;  // "language_model.model.layers.3."
    bool sparse = false;
    bool experts = false;
    int index = -1;
  };

  void resume(int layer = -1);
  [[nodiscard]] AxisSizes sizes() const;
  [[nodiscard]] Layer text_layer(size_t layer) const;

  // nemo_m3_call.cpp
  void inputs();
  void token_mask(const std::string& at);
  std::map<std::string, std::string> towers();
  std::string splice(const std::map<std::string, std::string>& features);
  void tables();
  void project(const Layer& layer);
  void attend(const Layer& layer);
  void feed(const Layer& layer);
  std::string swiglu_mlp(const std::string& at, const std::string& x, const std::string& rows,
                         const std::string& published);
  void activation(NodeWriter& node) const;
  void head(const std::string& at, const std::string& x);
  void norm(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
            const std::string& width);

  // nemo_m3_attention.cpp
  void attention_inputs(const Layer& layer, const std::string& x);
  void indexer_inputs(const std::string& at, const std::string& x, const std::string& published);
  void select_blocks(const std::string& at);
  void attention(const Layer& layer);
  void visibility(NodeWriter& node);

  // nemo_m3_experts.cpp
  void route(const Layer& layer);
  void mixture(const Layer& layer);
  void experts(const Layer& layer);
  void router(const std::string& at, const std::string& x, const std::string& published);
  [[nodiscard]] bool knows_padding() const;
  void balance_loss(const std::string& at);

  // nemo_m3_processes.cpp
  [[nodiscard]] bool shares_sequence() const { return pass_.split == Split::sequence; }
  [[nodiscard]] bool shares_experts() const { return pass_.split == Split::experts; }
  void share_inputs();
  /// Writes `whole`, the shares in sequence order. The kernel reads shares as `axes` and writes as `kernel_axes`.
  void gather_sequence(const std::string& whole, const std::string& share, const std::string& out_axes,
                       const std::string& axes, const std::string& kernel_axes = {});
  void gather_rows(const std::string& whole, const std::string& share, const std::string& axes, TapType type);
  void gather_ids(const std::string& whole, const std::string& share, const std::string& axes, TapType type);
  void exchange_tokens(const Layer& layer);
  void reduce_experts(const Layer& layer);

  // nemo_m3_training.cpp
  void further_tokens();
  void further_token(int64_t depth, const std::string& ids, const std::string& hidden);
  void losses();
  void mtp_loss(const std::string& at, double factor, bool documents);

  const NemoPass& pass_;
  const NemoM3Config& config_;
  const M3TextConfig& text_;
  const M3VisionConfig* vision_;
  const Profile& profile_;
  std::string stream_;  // name of the tap that the next layer reads
};

}  // namespace parity
