// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Synthetic goldens: the reference's own rounded walk, written as a recording. For sizes that no capture covers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/weights.hpp"
#include "golden/activation_writer.hpp"

namespace parity::replay {

/// Counter-based random parameters for every weight of a plan: the same name and seed give the same values anywhere.
/// Norm gains spread by 0.2 around zero, matrices 1.5 / sqrt(fan in), gate_up 4 / sqrt(fan in) so that clamps are reached.
class SyntheticWeights : public WeightSource {
 public:
  SyntheticWeights(const Plan& plan, uint64_t seed);

  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] bool contains(const std::string& name) const override { return tensors_.contains(name); }
  [[nodiscard]] TensorView tensor(const std::string& name) const override;

 private:
  void add(const std::string& name, const Shape& shape, DType dtype, uint64_t seed);

  std::map<std::string, Tensor> tensors_;
};

/// Random tokens, consecutive positions, no padding, labels in the first call; every tap of the plan. Memory: the live taps.
void write_synthetic_recording(const Plan& plan, const Registry& registry, const WeightSource& weights, uint64_t seed,
                               golden::ActivationWriter& writer);

}  // namespace parity::replay
