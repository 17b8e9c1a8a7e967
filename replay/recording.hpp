// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The taps of a plan as a file has them: datasets and aliases, checked against the plan.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "golden/activation_file.hpp"
#include "replay/tap_source.hpp"

namespace parity::replay {

/// A recorded tap that cannot be what the plan asks for; it is judged as such and otherwise not used.
struct Mismatch {
  bool type = false;   // another element type; else another shape
  std::string reason;  // dataset, found, expected, remedy
};

class Recording final : public TapSource {
 public:
  /// Checks shape and type of every dataset that the plan knows. Error{schema} for an input of the plan (tokens/), whose
  /// calls would be about something else; other taps become mismatches.
  Recording(const golden::ActivationFile& file, const Plan& plan);

  /// Recorded under its own name or an alias: judged.
  [[nodiscard]] bool has(const std::string& tap) const override { return datasets_.contains(tap); }
  [[nodiscard]] const std::map<std::string, Mismatch>& mismatches() const { return mismatches_; }
  /// The dataset that records the tap.
  [[nodiscard]] const std::string& dataset(const std::string& tap) const { return datasets_.at(tap); }
  [[nodiscard]] const golden::ActivationFile& file() const { return file_; }

 private:
  [[nodiscard]] Tensor held(const std::string& tap) const override;
  [[nodiscard]] std::optional<Mismatch> mismatch(const std::string& dataset, const TapInfo& info) const;
  [[nodiscard]] std::optional<Mismatch> mismatch_of_text(const std::string& dataset, const TapInfo& info) const;
  /// What is recorded once for all sequences is repeated for each.
  [[nodiscard]] Tensor read_dataset(const std::string& dataset, const TapInfo& info) const;

  const golden::ActivationFile& file_;
  std::map<std::string, std::string> datasets_;  // tap -> dataset path
  std::map<std::string, Mismatch> mismatches_;
};

}  // namespace parity::replay
