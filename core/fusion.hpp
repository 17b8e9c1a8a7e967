// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Fused kernels: one kernel that computes several nodes of a plan. A fusion is described like a component (struct F { Inputs,
// Outputs, Params, Points }) and says besides which chain of components it stands for; replay/fused.hpp finds the chain.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/registry.hpp"

namespace parity {

/// An operand of a part: the fusion's own operand of that name, or an inner value. Axis letters are the chain's: the same
/// letter is the same axis of the plan in every operand, "*" any first axes.
struct FusedOperand {
  std::string name;
  std::string axes;
};

/// A component of the chain, by field names. Inputs: "x" is the fusion's input, "0.out" what part 0 puts out. Outputs: an
/// empty name is an inner value, which the kernel does not write. Fields that are not listed must be absent, parameters that are
/// not listed at their defaults.
struct FusedPart {
  std::string component;
  std::map<std::string, FusedOperand> inputs;
  std::map<std::string, FusedOperand> outputs;
  std::map<std::string, std::string> params{};  // of the component -> of the fusion
  ParamMap fixed{};                             // parameters of the component for which alone the kernel is made
  /// A parameter that this part decodes when it is loaded: its node stays, every reader decodes for itself.
  bool of_parameter = false;
};

/// The fused kernels of a build, by backend and variant. F::parts() lists the chain in plan order; the last part is its end.
class Fusions {
 public:
  template <class F>
  void add(const std::string& backend, const std::string& variant, Kernel<F>* run, PlaceOf place = &on_host) {
    kernels_.add<F>(backend, variant, run, false, place);
    parts_.try_emplace(F::text.name, F::parts());
  }

  [[nodiscard]] const Registry& kernels() const { return kernels_; }
  [[nodiscard]] const std::vector<FusedPart>& parts(const std::string& fusion) const { return parts_.at(fusion); }

 private:
  Registry kernels_;
  std::map<std::string, std::vector<FusedPart>> parts_;
};

}  // namespace parity
