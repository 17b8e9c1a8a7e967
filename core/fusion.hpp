// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Fused kernels: one kernel that computes several nodes of a plan. A fusion is described like a component (struct F {
// Inputs, Outputs, Params, Points }) and lists the chain of components that it replaces; replay/execution/fused.hpp finds it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/registry.hpp"

namespace parity {

/// An operand of a part: the fusion's operand with this name, or an inner value. A letter in `axes` means one axis of
/// the plan in all operands of the chain; "*" means any number of leading axes.
struct FusedOperand {
  std::string name;
  std::string axes;
};

/// One component of the chain; inputs and outputs are keyed by its field names. The input "x" is the fusion's input x,
/// "0.out" is the output `out` of part 0. An output with an empty name is an inner value, which the kernel does not
/// write. Unlisted fields must be absent; unlisted parameters must have their defaults.
struct FusedPart {
  std::string component;
  std::map<std::string, FusedOperand> inputs;
  std::map<std::string, FusedOperand> outputs;
  std::map<std::string, std::string> params{};  // of the component -> of the fusion
  ParamMap fixed{};                             // values that the component's parameters must have for this kernel
  /// The part decodes a weight when it is loaded: its node remains in the plan, and every kernel decodes for itself.
  bool of_parameter = false;
};

/// The fused kernels of a build, by backend and variant. F::parts() lists the chain in plan order, its end last.
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
