// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One call of one component with drawn operands, and the judge's word on what a kernel makes of it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cases/drawn/arithmetic.hpp"
#include "cases/drawn/case_spec.hpp"
#include "compare/judge.hpp"
#include "core/plan.hpp"
#include "core/weights.hpp"
#include "replay/evaluator.hpp"

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
  Plan plan;                  // one node; for a fused kernel, those that it computes
  std::optional<Node> fused;  // the kernel as a node in their place
  replay::Environment taps;   // its inputs
  CaseWeights weights;
  std::map<std::string, DType> stored;  // inputs that a checkpoint stores in another type
  Style style;
  AxisSizes drawn;                         // extents that were drawn, not computed of others
  bool own_rounding = false;               // the correct kernel leaves everything inside in binary32
  std::vector<std::string> free_rounding;  // as a run allows it: sdpa, grouped experts

  [[nodiscard]] std::string text() const;  // sizes, type and style, for people
};

[[nodiscard]] DrawnCase draw_case(const CaseSpec& spec);
/// Components that cases can be drawn of: all.
[[nodiscard]] std::vector<std::string> drawn_components();
/// Fused kernels of the build: their chains are drawn (chain_case.hpp).
[[nodiscard]] std::vector<std::string> drawn_fusions();
/// Both.
[[nodiscard]] std::vector<std::string> drawn_cases();
/// Those with a correct kernel of another order; the others have no order of operations, or only one.
[[nodiscard]] std::vector<std::string> reordered_components();

/// What a kernel makes of a case: outputs by tap (a component's are its fields), in the types in which a capture would hold
/// them.
struct CaseKernel {
  std::function<std::map<std::string, Tensor>(const DrawnCase&, const replay::Evaluator&)> run;
  bool rounds_freely = false;  // need not round where the oracle does
  compare::Policy policy = compare::Policy::bits;
};
/// A correct kernel of another order of operations.
[[nodiscard]] CaseKernel another_order();
/// The reference itself, as the oracle rounds.
[[nodiscard]] CaseKernel oracle();
/// A correct kernel that rounds its own way: another order where there is one, and only some, drawn, of the oracle's inner
/// roundings. Judged by bounds.
[[nodiscard]] CaseKernel own_roundings();

/// The outputs of the evaluator's own nodes on the case's inputs, as the oracle rounds; of a chain what the fused kernel writes.
[[nodiscard]] std::map<std::string, Tensor> rounded_outputs(const DrawnCase& drawn, const replay::Evaluator& evaluator);

/// What the judge says of the kernel's outputs, as a run judges an isolated node; of a chain as it judges a recording without
/// the inner taps.
[[nodiscard]] std::vector<compare::Record> judge_case(const DrawnCase& drawn, const CaseKernel& kernel,
                                                      const compare::Observer& observe = {});

}  // namespace parity::cases
