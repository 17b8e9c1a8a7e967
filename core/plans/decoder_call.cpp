// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/decoder_call.hpp"

#include <algorithm>
#include <cmath>

namespace parity {

void DecoderCall::begin(AxisSizes sizes) {
  if (request_.static_slots > 0) {
    PARITY_CHECK(call_.keys <= request_.static_slots, schema,
                 "call {} fills {} slots of a static cache that has only {}; record the golden again", call_.id,
                 call_.keys, request_.static_slots);
    PARITY_CHECK(!call_.edits || call_.edits->given.empty(), unsupported,
                 "call {} has the contents of a static cache as input; record it with a growing cache", call_.id);
    const bool reorders = call_.edits && call_.edits->reorder && call_.edits->crop == 0;
    const bool drops = call_.edits && !call_.edits->rows && call_.edits->crop < 0;  // overwritten by later calls
    PARITY_CHECK(!call_.edits || reorders || drops, unsupported,
                 "call {} selects or repeats rows of a static cache, or crops it to a length; packages can only "
                 "reorder rows and, from transformers 5.24.0 on, drop the last tokens; record the golden again",
                 call_.id);
    sizes['K'] = request_.static_slots;
    sizes['U'] = call_.keys;
  }
  if (request_.page_size > 0) {
    PARITY_CHECK(request_.static_slots == 0 && !call_.edits, unsupported,
                 "call {} edits a paged or static cache; edit the page table instead", call_.id);
    sizes['Q'] = request_.page_size;
    sizes['W'] = (call_.keys + request_.page_size - 1) / request_.page_size;
    sizes['Y'] = request_.pages;
  }
  plan_.begin_call(static_cast<int>(index_), root(), sizes);
}

void DecoderCall::token_inputs() {
  plan_.input("tokens/input_ids", "B,S");
  plan_.input("tokens/position_ids", "B,S");
  plan_.input("tokens/attention_mask", request_.static_slots > 0 ? "B,U" : "B,K");
  if (request_.page_size > 0) plan_.input("tokens/page_table", "B,W");
  if (call_.labels && request_.head == Head::language) plan_.input("tokens/labels", "B,S");
}

void DecoderCall::embed(const std::string& table, const std::string& ids) {
  plan_.node("token_embedding", "text/embed")
      .tap("ids", ids)
      .weight("table", {table}, "V,H")
      .out("out", "out", "B,S,H");
}

void DecoderCall::rotary_tables(double theta, int64_t width, TapType type) {
  plan_.node("rotary_tables", "text/rope")
      .param("theta", theta)
      .param("rotary_width", width)
      .tap("positions", "tokens/position_ids")
      .out("cos", "cos", "B,S,R", type)
      .out("sin", "sin", "B,S,R", type)
      .one_for_all_rows();
}

void DecoderCall::norm(const std::string& at, const std::string& x, const std::string& axes,
                       const std::string& published, const std::string& width, double eps, double gain_offset) {
  plan_.node("rms_norm", at)
      .param("eps", eps)
      .param("gain_offset", gain_offset)
      .tap("x", x, axes)
      .weight("weight", {published}, width)
      .out("out", "out", axes);
}

void DecoderCall::projection(const std::string& at, const std::string& x, const std::string& axes,
                             const std::string& published, const std::string& weight_axes, const std::string& out_axes,
                             const std::string& suffix) {
  plan_.node("linear", at).tap("x", x, axes).weight("weight", {published}, weight_axes).out("out", suffix, out_axes);
}

void DecoderCall::router_logits(const std::string& at, const std::string& x, const std::string& published, Held held) {
  auto node = plan_.node("linear", at);
  node.tap("x", x, "N,H").weight("weight", {published}, "E,H", held);
  if (held == Held::single) node.precision("out", Precision::single);
  node.out("out", "", "N,E", held == Held::single ? TapType::single : TapType::working);
}

void DecoderCall::rope(const std::string& at, const std::string& x, const std::string& axes) {
  plan_.node("partial_rope", at)
      .tap("x", x, axes)
      .tap("cos", "text/rope/cos")
      .tap("sin", "text/rope/sin")
      .out("out", "out", axes);
}

void DecoderCall::projections(const std::string& at, const std::string& x, const std::string& published) {
  projection(at + "q_proj", x, "B,S,H", published + "q_proj.weight", "AD,H", "B,S,AD");
  projection(at + "k_proj", x, "B,S,H", published + "k_proj.weight", "GD,H", "B,S,GD");
  projection(at + "v_proj", x, "B,S,H", published + "v_proj.weight", "GD,H", "B,S,GD");
}

void DecoderCall::rotate_and_append(const std::string& at, const std::string& q, const std::string& k,
                                    const std::string& v) {
  rope(at + "q_rope", q, "B,A,S,D");
  rope(at + "k_rope", k, "B,G,S,D");
  append("cache/k", at + "k_rope/out", "B,G,S,D", "B,G,K,D");
  append("cache/v", v, "B,G,S,D", "B,G,K,D");
}

NodeWriter DecoderCall::attention_core(const char* component, const std::string& at, int64_t head_dim) {
  auto node = plan_.node(component, at + "core");
  node.param("scale", 1.0 / std::sqrt(static_cast<double>(head_dim)))
      .tap("q", at + "q_rope/out")
      .tap("k", prefix_ + "cache/k")
      .tap("v", prefix_ + "cache/v")
      .tap("mask", "tokens/attention_mask");
  if (request_.static_slots > 0) node.param("query_slot", call_.keys - call_.tokens);
  return node;
}

void DecoderCall::attention_out(NodeWriter core, const std::string& at, const std::string& published) {
  core.out("out", "out", "B,S,AD", TapType::working, "B,S,A,D");
  projection(at + "o_proj", at + "core/out", "B,S,AD", published + "o_proj.weight", "H,AD", "B,S,H");
}

void DecoderCall::sigmoid_router(const std::string& at, int64_t top_k, const std::string& published, Held held) {
  plan_.node("router", at + "router")
      .param("top_k", top_k)
      .param("eps", 0.0)
      .param("scaling", 1.0)
      .tap("logits", at + "router/logits")
      .weight("bias", {published + "e_score_correction_bias"}, "E", held)
      .out("scores", "scores", "N,E", TapType::single)
      .out("choice", "choice", "N,E", TapType::single)
      .out("indices", "indices", "N,T", TapType::index)
      .out("weights", "weights", "N,T", TapType::single);
}

NodeWriter DecoderCall::experts(const char* component, const std::string& node_name, const std::string& at,
                                const std::string& x, const std::string& published, int64_t count,
                                const GatedActivation& activation) {
  auto node = plan_.node(component, node_name);
  node.param("alpha", activation.alpha)
      .param("limit", activation.limit)
      .param("linear_offset", activation.linear_offset)
      .tap("x", x, "N,H")
      .tap("indices", at + "router/indices")
      .tap("weights", at + "router/weights")
      .bank("gate_up", {published + "experts.{}.w1.weight", published + "experts.{}.w3.weight"}, "2F,H", count)
      .bank("down", {published + "experts.{}.w2.weight"}, "H,F", count);
  return node;
}

void DecoderCall::lm_head(const std::string& model, const std::string& published, bool tied) {
  const std::string table = tied ? model + "embed_tokens.weight" : published;
  projection("text/lm_head", "text/final_norm/out", "B,S,H", table, "V,H", "B,S,V");
}

void DecoderCall::residual(const std::string& at, const std::string& stream, const std::string& branch) {
  plan_.node("residual_add", at).tap("residual", stream).tap("branch", branch).out("out", "out", "B,S,H");
}

void DecoderCall::append(const std::string& cache, const std::string& fresh, const std::string& fresh_axes,
                         const std::string& axes) {
  if (request_.page_size > 0) return append_to_pages(cache, fresh, fresh_axes, axes);
  auto node = plan_.node(request_.static_slots > 0 ? "cache_write" : "cache_append", prefix_ + cache);
  if (request_.static_slots > 0) node.param("filled", call_.keys - call_.tokens);
  if (index_ > 0) node.whole_tap("past", past(prefix_ + cache));
  node.tap("fresh", fresh, fresh_axes).out("out", "", axes);
  plan_.history(prefix_ + cache, fresh, fresh_axes, past(prefix_ + cache), call_.keys - call_.tokens);
}

void DecoderCall::append_to_pages(const std::string& cache, const std::string& fresh, const std::string& fresh_axes,
                                  const std::string& axes) {
  const std::string pages = prefix_ + cache + "_pages";
  std::string of_pages = axes;
  of_pages[of_pages.find('B')] = 'Y';
  of_pages[of_pages.find('K')] = 'Q';
  auto write = plan_.node("page_write", pages);
  write.param("page_size", request_.page_size).param("filled", call_.keys - call_.tokens);
  if (index_ > 0) write.whole_tap("past", past(pages));
  write.tap("fresh", fresh, fresh_axes).tap("table", "tokens/page_table").out("out", "", of_pages);
  plan_.node("paged_view", prefix_ + cache)
      .param("page_size", request_.page_size)
      .tap("pages", pages)
      .tap("table", "tokens/page_table")
      .out("out", "", axes);
  plan_.history(prefix_ + cache, fresh, fresh_axes, past(prefix_ + cache), call_.keys - call_.tokens);
}

void DecoderCall::edit(const std::string& cache, const std::string& axes, int64_t dropped, bool rows) {
  const bool has_slots = axes.find('K') != std::string::npos;
  if (!call_.edits->given.empty()) {
    plan_.input(prefix_ + cache, axes, TapType::working);
    if (has_slots) plan_.new_history(prefix_ + cache, axes, call_.keys);
    return;
  }
  PARITY_CHECK(dropped == 0 || request_.static_slots == 0, unsupported,
               "call {} crops a static cache, which packages can do from transformers 5.24.0 on, not under profile {}; "
               "record the golden again",
               call_.id, request_.profile);
  if (dropped > 0) plan_.begin_tower({{'K', call_.keys - dropped}});
  auto node = plan_.node("cache_edit", prefix_ + cache);
  node.whole_tap("past", past(prefix_ + cache));
  if (rows && call_.edits->rows) node.tap("rows", "tokens/cache_rows");
  node.out("out", "", axes);
  if (has_slots) plan_.new_history(prefix_ + cache, axes, slots() - dropped);
  if (dropped > 0) plan_.end_tower();
}

void DecoderCall::edit_keys_and_values() {
  edit("cache/k", "B,G,K,D");
  edit("cache/v", "B,G,K,D");
}

void DecoderCall::losses(const std::vector<std::string>& router_logits, int64_t top_k, double aux_coefficient,
                         Held router) {
  const bool aux = call_.aux_loss && !router_logits.empty();
  if (aux) {
    auto node = plan_.node("router_aux_loss", "");
    node.param("top_k", top_k).tap("mask", "tokens/attention_mask");
    for (const std::string& logits : router_logits) node.tap("logits", logits);
    if (router == Held::single) {
      for (const char* point : {"probability", "column", "mean"}) node.precision(point, Precision::single);
    }
    node.out("loss", "aux_loss", "", TapType::single);
  }
  if (!call_.labels) return;
  auto node = plan_.node("cross_entropy", "");
  node.tap("logits", "text/lm_head/out").tap("labels", "tokens/labels");
  if (aux) node.param("aux_coefficient", aux_coefficient).tap("aux_loss", "aux_loss");
  node.param("num_items", call_.num_items).out("loss", "loss", "", TapType::single);
}

bool DecoderCall::computes(int64_t layer) const {
  for (size_t call = std::min(index_ + 1, request_.calls.size()); call-- > 0;) {
    const auto& edits = request_.calls[call].edits;
    if (edits && !edits->given.empty())
      return std::find(edits->given.begin(), edits->given.end(), layer) != edits->given.end();
  }
  return true;
}

std::string DecoderCall::past(const std::string& name) const {
  return index_ == 0 ? "" : "steps/" + request_.calls[index_ - 1].id + "/" + name;
}

void refuse_static_cache(const PlanRequest& request, const char* why) {
  PARITY_CHECK(request.static_slots == 0, unsupported,
               "a static cache of {} slots is not supported under profile {}: {}", request.static_slots,
               request.profile, why);
  PARITY_CHECK(request.page_size == 0, unsupported,
               "a cache of pages of {} slots is not supported under profile {}: {}", request.page_size, request.profile,
               why);
}

Plan start_plan(const std::string& system, const PlanRequest& request) {
  const Profile& profile = find_profile(system, request.profile);
  const Profile& attention = find_attention(request.attention);
  Plan plan;
  plan.system = system;
  plan.profile = request.profile;
  plan.working = request.working;
  plan.rounding = profile.rounding;
  plan.rounding.insert(attention.rounding.begin(), attention.rounding.end());
  return plan;
}

void finish_plan(PlanWriter& writer, const std::string& system, const PlanRequest& request) {
  writer.apply(find_profile(system, request.profile).settings);
  writer.apply(find_attention(request.attention).settings);
}

}  // namespace parity
