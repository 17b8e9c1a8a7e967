// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/decoder_call.hpp"

namespace parity {

void DecoderCall::token_inputs() {
  plan_.input("tokens/input_ids", "B,S");
  plan_.input("tokens/position_ids", "B,S");
  plan_.input("tokens/attention_mask", "B,K");
  if (call_.labels) plan_.input("tokens/labels", "B,S");
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

void DecoderCall::residual(const std::string& at, const std::string& stream, const std::string& branch) {
  plan_.node("residual_add", at).tap("residual", stream).tap("branch", branch).out("out", "out", "B,S,H");
}

void DecoderCall::append(const std::string& cache, const std::string& fresh, const std::string& fresh_axes,
                         const std::string& axes) {
  auto node = plan_.node("cache_append", prefix_ + cache);
  if (index_ > 0) node.whole_tap("past", past(prefix_ + cache));
  node.tap("fresh", fresh, fresh_axes).out("out", "", axes);
  plan_.history(prefix_ + cache, fresh, fresh_axes, past(prefix_ + cache));
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
  node.out("loss", "loss", "", TapType::single);
}

std::string DecoderCall::past(const std::string& name) const {
  return index_ == 0 ? "" : "steps/" + request_.calls[index_ - 1].id + "/" + name;
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
