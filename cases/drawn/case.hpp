// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One call of a component with drawn operands, and the judge's records of a kernel's results.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cases/drawn/arithmetic.hpp"
#include "cases/drawn/case_spec.hpp"
#include "compare/judging/judge.hpp"
#include "core/plan.hpp"
#include "core/weights.hpp"
#include "replay/runs/evaluator.hpp"

namespace parity::cases {

/// Members of the expert banks, by published name.
class CaseWeights final : public WeightSource {
 public:
  void add(const std::string& name, Tensor tensor) { tensors_[name] = std::move(tensor); }
  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] bool contains(const std::string& name) const override { return tensors_.contains(name); }
  [[nodiscard]] TensorView tensor(const std::string& name) const override { return tensors_.at(name).view(); }

 private:
  std::map<std::string, Tensor> tensors_;
};

struct DrawnCase {
  CaseSpec spec;
  Plan plan;                  // one node; for a fused kernel, all nodes that it computes
  std::optional<Node> fused;  // the fused kernel as one node in place of these
  replay::Environment taps;   // the inputs of the case
  CaseWeights weights;
  std::map<std::string, DType> stored;  // types of operands that are stored in another type
  Style style;
  AxisSizes drawn;                         // extents that were drawn, not derived from others
  bool own_rounding = false;               // the correct kernel keeps all inner values in binary32
  std::vector<std::string> free_rounding;  // components with free rounding, as in a run: sdpa, grouped experts

  [[nodiscard]] std::string text() const;          // sizes, type and style in words
  [[nodiscard]] std::string extents_text() const;  // without the style, which is that of another_order()
  /// The node that the judged kernel computes.
  [[nodiscard]] const Node& node() const { return fused ? *fused : plan.nodes.front(); }
};

[[nodiscard]] DrawnCase draw_case(const CaseSpec& spec);
/// Returns the components for which cases can be drawn: all of them.
[[nodiscard]] std::vector<std::string> drawn_components();
/// Returns the fused kernels of the build, for whose chains cases can be drawn (chain_case.hpp).
[[nodiscard]] std::vector<std::string> drawn_fusions();
/// Returns drawn_components() and drawn_fusions().
[[nodiscard]] std::vector<std::string> drawn_cases();
/// Returns the components that have a correct kernel of another order. Others have at most one order.
[[nodiscard]] std::vector<std::string> reordered_components();

/// A function that runs a kernel on a case. It returns outputs by tap (for a component: by field), in the types that a
/// capture would have.
struct CaseKernel {
  std::function<std::map<std::string, Tensor>(const DrawnCase&, const replay::Evaluator&)> run;
  bool rounds_freely = false;  // need not round where the oracle does
  compare::Policy policy = compare::Policy::bits;
  /// Returns the case, changed if the kernel requires it; nullopt for one that it excludes. Empty: it takes any case.
  std::function<std::optional<CaseSpec>(const CaseSpec&)> fitted{};
  bool native = false;  // runs in memory, where its outputs held Poison::nan before; the drawn style is not its own
};
/// The case in words, with the style only if the kernel has it.
[[nodiscard]] std::string text_of(const DrawnCase& drawn, const CaseKernel& kernel);
/// Returns a correct kernel with another order of operations.
[[nodiscard]] CaseKernel another_order();
/// Returns the oracle-rounded reference as a kernel.
[[nodiscard]] CaseKernel oracle();
/// Returns a correct kernel with its own rounding: another order if there is one, and a drawn subset of the oracle's
/// inner roundings. Judged by bounds.
[[nodiscard]] CaseKernel own_roundings();

/// Returns the oracle-rounded outputs of the evaluator's nodes on the case; of a chain, those of the fused kernel.
[[nodiscard]] std::map<std::string, Tensor> rounded_outputs(const DrawnCase& drawn, const replay::Evaluator& evaluator);

/// Judges the kernel's outputs like an isolated node of a run. A chain is judged like a recording without the inner
/// taps.
[[nodiscard]] std::vector<compare::Record> judge_case(const DrawnCase& drawn, const CaseKernel& kernel,
                                                      const compare::Observer& observe = {});

}  // namespace parity::cases
