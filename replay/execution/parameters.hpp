// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Parameters as the oracle has them: published tensors stacked by rows, rounded to T, widened to binary64.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/weights.hpp"

namespace parity::replay {

/// Returns the published name of a member of a bank: its number replaces {} in the pattern, if present.
[[nodiscard]] std::string member_name(const std::string& pattern, int64_t member);

class Parameters {
 public:
  Parameters(const Plan& plan, const WeightSource& source) : plan_(plan), source_(source) {}

  /// Returns a parameter. An error names the published tensor that is missing or has a wrong shape.
  [[nodiscard]] Tensor tensor(const std::string& weight) const;
  [[nodiscard]] std::unique_ptr<WeightBank> bank(const std::string& weight) const;
  /// Returns the number of elements of a parameter, or of one member of a bank.
  [[nodiscard]] int64_t count(const std::string& weight) const { return element_count(plan_.weights.at(weight).shape); }
  /// Returns the element type of a parameter that is used as stored in the file.
  [[nodiscard]] DType stored_type(const std::string& weight) const;
  /// Whether rounding to T changes the parameter: the checkpoint publishes a wider type.
  [[nodiscard]] bool rounds(const std::string& weight) const;
  /// Stops rounding to T, for kernels that multiply by the checkpoint's values.
  void hold_published() { published_ = true; }
  /// Return the published names that the plan needs and the source lacks, and those that the plan does not read.
  [[nodiscard]] std::vector<std::string> missing() const;
  [[nodiscard]] std::vector<std::string> unread() const;

 private:
  [[nodiscard]] std::vector<std::string> published_names() const;

  [[nodiscard]] DType held_type(const WeightInfo& info) const;

  const Plan& plan_;
  const WeightSource& source_;
  bool published_ = false;
};

}  // namespace parity::replay
