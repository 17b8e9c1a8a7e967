// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the plan builders of all decoders share: the inputs of one forward call, and the nodes that every model has.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/plans/plan_writer.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/request.hpp"

namespace parity {

/// Parameters of gate * sigmoid(alpha gate) * (up + linear_offset), gate and up clamped; by default silu(gate) up.
struct GatedActivation {
  double alpha = 1.0;
  double limit = std::numeric_limits<double>::infinity();
  double linear_offset = 0.0;
};

/// Writes one forward call; the builder of a model derives from it. Tap names follow docs/golden-format.md.
class DecoderCall {
 protected:
  DecoderCall(const PlanRequest& request, size_t call, PlanWriter& writer)
      : DecoderCall(request, request.calls[call], call, writer) {}
  /// Writes a call that is not an element of request.calls.
  DecoderCall(const PlanRequest& request, const Call& call, size_t index, PlanWriter& writer)
      : request_(request), call_(call), index_(index), plan_(writer) {}

  /// Begins the call. For a static cache, K is the cache's length and U the number of slots in use after this call.
  void begin(AxisSizes sizes);
  [[nodiscard]] std::string root() const { return "steps/" + call_.id + "/"; }

  /// Declares the inputs tokens/{input_ids, position_ids, attention_mask, labels}.
  void token_inputs();
  void embed(const std::string& table, const std::string& ids = "tokens/input_ids");
  void rotary_tables(double theta, int64_t width, TapType type = TapType::working);
  /// Writes rms_norm at `at`, with `axes` for its input and output. The gain is `gain_offset` plus the weight: an
  /// offset of 1 is for zero-centred weights.
  void norm(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
            const std::string& width, double eps, double gain_offset = 1.0);
  void projection(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
                  const std::string& weight_axes, const std::string& out_axes, const std::string& suffix = "out");
  /// Writes the router's linear layer. Its logits have the type in which the implementation stores the router's weight.
  void router_logits(const std::string& at, const std::string& x, const std::string& published, Held held);
  void rope(const std::string& at, const std::string& x, const std::string& axes);
  /// Writes the projections of queries, keys and values from the layer's input.
  void projections(const std::string& at, const std::string& x, const std::string& published);
  /// Rotates queries and keys; appends keys and values to the caches.
  void rotate_and_append(const std::string& at, const std::string& q, const std::string& k, const std::string& v);
  /// Writes an attention over the caches without its output; a model adds further operands to the returned node.
  NodeWriter attention_core(const char* component, const std::string& at, int64_t head_dim);
  void attention_out(NodeWriter core, const std::string& at, const std::string& published);
  /// Writes a router with sigmoid scores, whose bias only affects which experts are chosen.
  void sigmoid_router(const std::string& at, int64_t top_k, const std::string& published, Held held);
  /// Writes the routed experts at `node`, without outputs, which the caller adds.
  NodeWriter experts(const char* component, const std::string& node, const std::string& at, const std::string& x,
                     const std::string& published, int64_t count, const GatedActivation& activation);
  /// Writes the output projection after the final norm. If `tied`, its weight is the embedding table.
  void lm_head(const std::string& model, const std::string& published, bool tied);
  void residual(const std::string& at, const std::string& stream, const std::string& branch);
  /// Writes a cache tap, below `prefix_`: the previous call's tap of this name, with `fresh` appended.
  void append(const std::string& cache, const std::string& fresh, const std::string& fresh_axes,
              const std::string& axes);
  /// Writes a cache tap whose slots are in pages; tokens/page_table lists the pages of each sequence.
  void append_to_pages(const std::string& cache, const std::string& fresh, const std::string& fresh_axes,
                       const std::string& axes);
  /// Writes the cache after the edits of this call, which has no tokens. The cache then has K - `dropped` slots.
  /// `rows`: whether the edit's choice of rows applies to this cache.
  /// Given caches become inputs of the plan instead.
  void edit(const std::string& cache, const std::string& axes, int64_t dropped = 0, bool rows = true);
  /// Writes the edited key and value caches of the layer at `prefix_`.
  void edit_keys_and_values();
  /// Writes the edited caches of all layers; `edit_layer(layer)` writes those of one layer, below `prefix_`.
  template <class EditLayer>
  void edit_layers(int64_t layers, const EditLayer& edit_layer) {
    if (call_.edits->rows) plan_.input("tokens/cache_rows", "B");
    for (int64_t layer = 0; layer < layers; ++layer) {
      if (!computes(layer)) continue;
      prefix_ = fmt::format("text/layers/{:02}/", layer);
      plan_.layer(static_cast<int>(layer));
      edit_layer(layer);
    }
  }
  /// Writes the layers that this call computes; `write(layer, stream)` writes one and returns its output. The input of a
  /// layer behind one that is not computed is an input of the plan. Returns the tap behind the last layer; empty if the
  /// last layer is not computed.
  template <class WriteLayer>
  std::string decoder_layers(int64_t layers, std::string stream, const WriteLayer& write) {
    for (int64_t layer = 0; layer < layers; ++layer) {
      if (computes(layer)) {
        stream = write(static_cast<int>(layer), stream);
      } else {
        stream = fmt::format("text/layers/{:02}/out", layer);
        if (layer + 1 < layers && computes(layer + 1)) plan_.input(stream, "B,S,H", TapType::working);
      }
    }
    return computes(layers - 1) ? stream : "";
  }
  /// Writes the router's auxiliary loss if the call has it and `router_logits` is not empty; then the call's loss.
  void losses(const std::vector<std::string>& router_logits, int64_t top_k, double aux_coefficient,
              Held router = Held::working);

  /// Slots of the caches after this call: all tokens so far, or the length of a static cache.
  [[nodiscard]] int64_t slots() const { return request_.static_slots > 0 ? request_.static_slots : call_.keys; }
  /// Whether this call computes the layer: it computes all, or those whose caches were given last.
  [[nodiscard]] bool computes(int64_t layer) const;
  /// Full name of the tap `name` in the previous call; empty in the first call.
  [[nodiscard]] std::string past(const std::string& name) const;

  const PlanRequest& request_;
  const Call& call_;
  size_t index_;
  PlanWriter& plan_;
  std::string prefix_;   // prefix of the layer's taps
  std::string weights_;  // prefix of the layer's published names
};

/// Throws Error{unsupported} if the request has a cache of fixed length or in pages; `why` ends the message.
void refuse_static_cache(const PlanRequest& request, const char* why);
/// An empty plan with the rounding rows of the profile and of the attention implementation.
[[nodiscard]] Plan start_plan(const std::string& system, const PlanRequest& request);
/// Sets the parameters of the profile and of the attention implementation on all nodes written so far.
void finish_plan(PlanWriter& writer, const std::string& system, const PlanRequest& request);

}  // namespace parity
