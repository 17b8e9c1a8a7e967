// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A drawn case as a call of a kernel of native types: a component's, or a fused one's.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cases/drawn/case.hpp"
#include "cases/guards.hpp"

namespace parity::cases {

/// `drawn` and `definition` must outlive it.
class NativeCase {
 public:
  NativeCase(const DrawnCase& drawn, const KernelEntry& entry, const Definition& definition);

  [[nodiscard]] const KernelCall& call() const { return call_; }
  /// Runs it on outputs that are NaN, or an absurd id, between guards; by tap. Error{internal} when it writes beside one.
  [[nodiscard]] std::map<std::string, Tensor> run() const;

 private:
  [[nodiscard]] DType type_of(const std::string& field, const std::string& tap) const;

  const DrawnCase& drawn_;
  const Node& node_;
  KernelCall call_;
  std::vector<Tensor> operands_;
  std::vector<std::unique_ptr<WeightBank>> banks_;
};

}  // namespace parity::cases
