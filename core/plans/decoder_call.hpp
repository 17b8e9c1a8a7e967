// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the plan builders of all decoders share: one forward call's inputs, and the nodes that every model has.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/plans/plan_writer.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/request.hpp"

namespace parity {

/// Parameters of gate * sigmoid(alpha gate) * (up + linear_offset), both halves clamped at limit; default: silu(gate) up.
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
  /// A call that is not one of the request's own.
  DecoderCall(const PlanRequest& request, const Call& call, size_t index, PlanWriter& writer)
      : request_(request), call_(call), index_(index), plan_(writer) {}

  /// K becomes the length of a static cache, U the slots of it that are in use after this call.
  void begin(AxisSizes sizes);
  [[nodiscard]] std::string root() const { return "steps/" + call_.id + "/"; }

  /// tokens/{input_ids, position_ids, attention_mask, labels}
  void token_inputs();
  void embed(const std::string& table, const std::string& ids = "tokens/input_ids");
  void rotary_tables(double theta, int64_t width, TapType type = TapType::working);
  /// rms_norm at `at`; taps and weights keep the component's axes, `axes` those of the tap. Gains are stored around
  /// `gain_offset`: zero-centred ones around 1.
  void norm(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
            const std::string& width, double eps, double gain_offset = 1.0);
  void projection(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
                  const std::string& weight_axes, const std::string& out_axes, const std::string& suffix = "out");
  /// The router's linear layer; logits come in the type in which its weight is held.
  void router_logits(const std::string& at, const std::string& x, const std::string& published, Held held);
  void rope(const std::string& at, const std::string& x, const std::string& axes);
  /// Projections of queries, keys and values from the layer's input.
  void projections(const std::string& at, const std::string& x, const std::string& published);
  /// Rotates queries and keys; appends keys and values to the caches.
  void rotate_and_append(const std::string& at, const std::string& q, const std::string& k, const std::string& v);
  /// An attention over the caches, all but its output: what a model adds, it adds to the node.
  NodeWriter attention_core(const char* component, const std::string& at, int64_t head_dim);
  void attention_out(NodeWriter core, const std::string& at, const std::string& published);
  /// Sigmoid scores, a bias on the choice.
  void sigmoid_router(const std::string& at, int64_t top_k, const std::string& published, Held held);
  /// The routed experts at `node`, all but its outputs.
  NodeWriter experts(const char* component, const std::string& node, const std::string& at, const std::string& x,
                     const std::string& published, int64_t count, const GatedActivation& activation);
  /// The output projection after the final norm; `tied` to the embedding table or not.
  void lm_head(const std::string& model, const std::string& published, bool tied);
  void residual(const std::string& at, const std::string& stream, const std::string& branch);
  /// Cache taps are named per layer; the history before this call is the previous call's tap of that name.
  void append(const std::string& cache, const std::string& fresh, const std::string& fresh_axes,
              const std::string& axes);
  /// … in pages, which tokens/page_table lists for each sequence.
  void append_to_pages(const std::string& cache, const std::string& fresh, const std::string& fresh_axes,
                       const std::string& axes);
  /// The cache of that name after the edits of this call, which has no tokens. `dropped`: slots fewer than K; `rows`:
  /// whether it follows the choice of rows.
  void edit(const std::string& cache, const std::string& axes, int64_t dropped = 0, bool rows = true);
  /// Keys and values of the layer at `prefix_`.
  void edit_keys_and_values();
  /// Every layer's caches: `edit_layer(layer)` writes those of one, below `prefix_`.
  template <class EditLayer>
  void edit_layers(int64_t layers, const EditLayer& edit_layer) {
    if (call_.edits->rows) plan_.input("tokens/cache_rows", "B");
    for (int64_t layer = 0; layer < layers; ++layer) {
      prefix_ = fmt::format("text/layers/{:02}/", layer);
      plan_.layer(static_cast<int>(layer));
      edit_layer(layer);
    }
  }
  /// The router's auxiliary loss over the layers' logits, when the call asks for it and there are any; then the loss.
  void losses(const std::vector<std::string>& router_logits, int64_t top_k, double aux_coefficient,
              Held router = Held::working);

  /// Slots of the caches after this call: all tokens so far, or the length of a static cache.
  [[nodiscard]] int64_t slots() const { return request_.static_slots > 0 ? request_.static_slots : call_.keys; }
  /// The tap of `name` in the call before this one; empty in the first call.
  [[nodiscard]] std::string past(const std::string& name) const;

  const PlanRequest& request_;
  const Call& call_;
  size_t index_;
  PlanWriter& plan_;
  std::string prefix_;   // of the layer's taps
  std::string weights_;  // of the layer's published names
};

/// For packages whose model takes no cache of fixed length and none in pages; `why` ends the message.
void refuse_static_cache(const PlanRequest& request, const char* why);
/// An empty plan with the profile's and the attention implementation's rounding rows.
[[nodiscard]] Plan start_plan(const std::string& system, const PlanRequest& request);
/// Sets the profile's and the attention implementation's parameters on the nodes that were written.
void finish_plan(PlanWriter& writer, const std::string& system, const PlanRequest& request);

}  // namespace parity
