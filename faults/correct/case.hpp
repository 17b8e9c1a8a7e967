// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One call of one component with drawn operands, and the judge's word on what a kernel makes of it.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compare/record.hpp"
#include "core/plan.hpp"
#include "core/weights.hpp"
#include "faults/correct/arithmetic.hpp"
#include "replay/evaluator.hpp"

namespace parity::faults {

/// What seeds are drawn for: tolerances are looked at with the one kind, and held to with the other.
enum class SeedUse : uint8_t { gate, calibration };

/// Never the same for two uses: the lowest bit is the use.
[[nodiscard]] constexpr uint64_t case_seed(SeedUse use, uint64_t study, int64_t run) {
  return (((study << 32U) + static_cast<uint64_t>(run)) << 1U) | static_cast<uint64_t>(use);
}

/// Where a case is drawn: extents at edges (1, tile, block and warp +- 1, …) or anywhere; at edges with NaN and infinities.
enum class Lane : uint8_t { boundary, anywhere, special };
inline constexpr std::array kLanes{Lane::boundary, Lane::anywhere, Lane::special};
[[nodiscard]] const char* to_string(Lane lane);

/// What a case is drawn from: the same values, the same case.
struct CaseSpec {
  std::string component;
  DType working = DType::f32;
  Lane lane = Lane::boundary;
  uint64_t seed = 0;
  AxisSizes most{};  // drawn extents are cut to these: what a failing case is reduced by

  /// "rms_norm:bf16:boundary:17:S1,H3", which parse_case reads.
  [[nodiscard]] std::string text() const;
};
/// Error{usage} for another form, an unknown component, type or lane.
[[nodiscard]] CaseSpec parse_case(const std::string& text);

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
  Plan plan;                 // one node
  replay::Environment taps;  // its inputs
  CaseWeights weights;
  Style style;
  AxisSizes drawn;                         // extents that were drawn, not computed of others
  bool own_rounding = false;               // the correct kernel leaves everything inside in binary32
  std::vector<std::string> free_rounding;  // as a run allows it: sdpa, grouped experts

  [[nodiscard]] std::string text() const;  // sizes, type and style, for people
};

[[nodiscard]] DrawnCase draw_case(const CaseSpec& spec);
/// Components that cases can be drawn of; each has a correct kernel of another order.
[[nodiscard]] std::vector<std::string> drawn_components();

/// What a kernel makes of a case: outputs by field, in the types in which a capture would hold them.
using CaseKernel = std::function<std::map<std::string, Tensor>(const DrawnCase&, const replay::Evaluator&)>;
/// A correct kernel of another order of operations.
[[nodiscard]] CaseKernel another_order();
/// The reference itself, as the oracle rounds.
[[nodiscard]] CaseKernel oracle();

/// The outputs of the evaluator's own node on the case's inputs, as the oracle rounds.
[[nodiscard]] std::map<std::string, Tensor> rounded_outputs(const DrawnCase& drawn, const replay::Evaluator& evaluator);

/// What the judge says of the kernel's outputs, as a run judges an isolated node.
[[nodiscard]] std::vector<compare::Record> judge_case(const DrawnCase& drawn, const CaseKernel& kernel);

}  // namespace parity::faults
