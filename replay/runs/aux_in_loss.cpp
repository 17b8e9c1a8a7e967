// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/aux_in_loss.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace parity::replay {
namespace {

constexpr int64_t kIgnored = -100;

/// Returns -log softmax(logits)[label] of one token, or nullopt for a label outside of the vocabulary.
std::optional<double> surprise(const double* logits, int64_t words, int64_t label) {
  if (label < 0 || label >= words) return std::nullopt;
  const double largest = *std::max_element(logits, logits + words);
  double sum = 0.0;
  for (int64_t v = 0; v < words; ++v) sum += std::exp(logits[v] - largest);
  return std::log(sum) + largest - logits[label];
}

/// Returns the mean over the tokens whose next label counts.
double cross_entropy(const Tensor& logits, const Tensor& labels) {
  const Shape& shape = logits.shape();                                                                      // (B, S, V)
  double total = 0.0;
  int64_t counted = 0;
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t s = 0; s + 1 < shape[1]; ++s) {
      const int64_t label = labels.i64()[b * shape[1] + s + 1];
      const auto term =
          label == kIgnored ? std::nullopt : surprise(logits.f64() + (b * shape[1] + s) * shape[2], shape[2], label);
      if (!term) continue;
      total += *term;
      ++counted;
    }
  }
  return total / static_cast<double>(counted);
}

}  // namespace

bool loss_holds_aux(const golden::Golden& golden, const golden::StepInfo& step, double coefficient) {
  const golden::ActivationFile& file = golden.activations();
  const std::string logits = step.tap("text/lm_head/out");
  if (!step.has_labels || !file.contains(step.tap("loss")) || !file.contains(logits)) return false;
  const Tensor values = widen(file.read(logits));
  const Tensor labels = widen(file.read(step.tap("tokens/labels")));
  const bool fitting = values.shape().size() == 3 && labels.shape() == Shape{values.shape()[0], values.shape()[1]};
  if (!fitting) return false;  // the plan reports the mismatch
  const double loss = widen(file.read(step.tap("loss"))).f64()[0];
  return loss - cross_entropy(values, labels) > 0.25 * coefficient;
}

}  // namespace parity::replay
