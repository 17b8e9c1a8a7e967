// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Parameters as the oracle holds them: published tensors stacked by rows, rounded to T, widened to binary64.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/weights.hpp"

namespace parity::replay {

/// The published name of one member of a bank: its number for the {} in the pattern, if there is one.
[[nodiscard]] std::string member_name(const std::string& pattern, int64_t member);

class Parameters {
 public:
  Parameters(const Plan& plan, const WeightSource& source) : plan_(plan), source_(source) {}

  /// Error names the published tensor that is missing or misshapen.
  [[nodiscard]] Tensor tensor(const std::string& weight) const;
  [[nodiscard]] std::unique_ptr<WeightBank> bank(const std::string& weight) const;
  /// The element type of a parameter that is held as in the file.
  [[nodiscard]] DType stored_type(const std::string& weight) const;
  /// Whether holding it in T rounds it: the checkpoint publishes a wider type.
  [[nodiscard]] bool rounds(const std::string& weight) const;
  /// From now on nothing is rounded to T: as a kernel that multiplies by what the checkpoint holds.
  void hold_published() { published_ = true; }
  /// Published names that the plan needs and the source lacks, and those it has and the plan does not read.
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
