// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One call of one component with drawn operands, and a correct kernel's way of computing it.
#pragma once

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

struct CorrectCase {
  uint64_t seed = 0;
  Plan plan;                 // one node
  replay::Environment taps;  // its inputs
  CaseWeights weights;
  Style style;
  bool own_rounding = false;               // the kernel leaves everything inside in binary32
  std::vector<std::string> free_rounding;  // as a run allows it: sdpa, grouped experts

  [[nodiscard]] std::string text() const;  // sizes, type and style, for people
};

/// Extents at boundaries (1, tile and block and warp +- 1, …) or anywhere; the same arguments give the same case.
[[nodiscard]] CorrectCase draw_case(const std::string& component, uint64_t seed, DType working, bool boundary);
/// Components that have a correct kernel of another order.
[[nodiscard]] std::vector<std::string> drawn_components();

/// What the judge says of the correct kernel's outputs, as a run judges an isolated node; with `oracle` of the reference's
/// own roundings.
[[nodiscard]] std::vector<compare::Record> judge_case(const CorrectCase& correct, bool oracle = false);

}  // namespace parity::faults
