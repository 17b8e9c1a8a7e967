// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/text01/text01_heads.hpp"

namespace parity {
namespace {

constexpr const char* kStream = "text/final_norm/out";

/// Writes the cross-entropy of labels that are aligned with the logits, without outputs.
NodeWriter aligned_loss(PlanWriter& plan, const std::string& logits, const std::string& logits_axes,
                        const std::string& label_axes) {
  auto node = plan.node("cross_entropy", "");
  node.param("label_offset", int64_t{0}).tap("logits", logits, logits_axes).tap("labels", "tokens/labels", label_axes);
  return node;
}

/// The problem of a sequence head: problem_type if set, else by the number and the type of the labels.
Text01Config::Problem problem_of(const Text01Config& config, const Call& call) {
  using Problem = Text01Config::Problem;
  const Problem by_type = call.real_labels ? Problem::multi_label : Problem::single_label;
  const Problem problem = config.problem.value_or(config.num_labels == 1 ? Problem::regression : by_type);
  const bool ids = problem == Problem::single_label;
  PARITY_CHECK(
      ids != call.real_labels, schema,
      "call {}: tokens/labels are {}, but problem_type and num_labels of the config need {}; record the golden "
      "again with such labels",
      call.id, call.real_labels ? "floating-point numbers" : "i64",
      ids ? "i64" : "floating-point numbers of the model's type");
  return problem;
}

/// Writes the loss of real-valued labels, or of labels that do not exclude one another; both are of type T.
void write_numbers_loss(PlanWriter& plan, const char* component, int64_t labels) {
  plan.input("tokens/labels", labels == 1 ? "B" : "B,L", TapType::working);
  plan.node(component, "")
      .tap("logits", "text/pooled/out")
      .tap("labels", "tokens/labels", labels == 1 ? "B,1" : "B,L")
      .out("loss", "loss", "");
}

/// Writes the scores of every token, the choice of the last one that is not padding, and its loss, which is of type T.
void write_sequence(PlanWriter& plan, const Text01Config& config, const Call& call) {
  plan.node("linear", "text/score")
      .tap("x", kStream)
      .weight("weight", {"score.weight"}, "L,H")
      .out("out", "out", "B,S,L");
  plan.node("pool_last_token", "text/pooled")
      .param("pad_token", config.pad_token)
      .tap("x", "text/score/out")
      .tap("ids", "tokens/input_ids")
      .out("position", "position", "B", TapType::count)
      .out("out", "out", "B,L");
  if (!call.labels) return;
  const auto problem = problem_of(config, call);
  if (problem == Text01Config::Problem::regression) return write_numbers_loss(plan, "squared_error", config.num_labels);
  if (problem == Text01Config::Problem::multi_label)
    return write_numbers_loss(plan, "independent_labels_loss", config.num_labels);
  plan.input("tokens/labels", "B");
  aligned_loss(plan, "text/pooled/out", "B,1,L", "B,1")
      .precision("term", Precision::working)
      .precision("mean", Precision::working)
      .out("loss", "loss", "");
}

/// Writes the scores of every token, with a bias; for the loss they are widened to binary32.
void write_token(PlanWriter& plan, bool labels) {
  plan.node("linear", "text/score")
      .tap("x", kStream)
      .weight("weight", {"score.weight"}, "L,H")
      .weight("bias", {"score.bias"}, "L")
      .out("out", "out", "B,S,L");
  if (!labels) return;
  plan.input("tokens/labels", "B,S");
  aligned_loss(plan, "text/score/out", "", "").out("loss", "loss", "", TapType::single);
}

/// Writes the scores of every token as start and as end of the answer.
void write_question(PlanWriter& plan, const Call& call) {
  plan.node("linear", "text/qa_outputs")
      .tap("x", kStream)
      .weight("weight", {"qa_outputs.weight"}, "2,H")
      .weight("bias", {"qa_outputs.bias"}, "2")
      .out("out", "out", "B,S,2");
  if (!call.labels) return;
  plan.input("tokens/start_positions", "B");
  plan.input("tokens/end_positions", "B");
  plan.node("span_loss", "")
      .param("num_items", call.num_items)
      .tap("logits", "text/qa_outputs/out")
      .tap("start", "tokens/start_positions")
      .tap("end", "tokens/end_positions")
      .out("loss", "loss", "");
}

}  // namespace

Head head_of(const std::string& model_class) {
  if (model_class.ends_with("ForSequenceClassification")) return Head::sequence;
  if (model_class.ends_with("ForTokenClassification")) return Head::token;
  return model_class.ends_with("ForQuestionAnswering") ? Head::question : Head::language;
}

void write_text01_head(PlanWriter& plan, const Text01Config& config, Head head, const Call& call) {
  plan.set_size('L', config.num_labels);
  if (head == Head::sequence) return write_sequence(plan, config, call);
  if (head == Head::token) return write_token(plan, call.labels);
  write_question(plan, call);
}

}  // namespace parity
