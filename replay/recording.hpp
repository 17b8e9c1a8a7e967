// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The taps of a plan as a recording has them: datasets, aliases, and histories put together from their parts.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/plan.hpp"
#include "golden/activation_file.hpp"

namespace parity::replay {

/// A recorded tap that cannot be what the plan asks for; it is judged as such and otherwise not used.
struct Mismatch {
  bool type = false;   // another element type; else another shape
  std::string reason;  // dataset, found, expected, remedy
};

class Recording {
 public:
  /// Checks shape and type of every dataset that the plan knows. Error{schema} for an input of the plan (tokens/), whose
  /// calls would be about something else; other taps become mismatches.
  Recording(const golden::ActivationFile& file, const Plan& plan);

  /// Recorded under its own name or an alias: judged.
  [[nodiscard]] bool has(const std::string& tap) const { return datasets_.contains(tap); }
  /// Recorded, or a history that follows from what is recorded: usable as an input.
  [[nodiscard]] bool available(const std::string& tap) const;
  /// As recorded, under the plan's axes; Error{not_found} when not available.
  [[nodiscard]] Tensor read(const std::string& tap) const;
  [[nodiscard]] const std::map<std::string, Mismatch>& mismatches() const { return mismatches_; }
  /// The dataset that records the tap.
  [[nodiscard]] const std::string& dataset(const std::string& tap) const { return datasets_.at(tap); }
  [[nodiscard]] const golden::ActivationFile& file() const { return file_; }

 private:
  [[nodiscard]] std::optional<Mismatch> mismatch(const std::string& dataset, const TapInfo& info) const;
  [[nodiscard]] std::optional<Mismatch> mismatch_of_text(const std::string& dataset, const TapInfo& info) const;
  /// What is recorded once for all sequences is repeated for each.
  [[nodiscard]] Tensor read_dataset(const std::string& dataset, const TapInfo& info) const;
  [[nodiscard]] bool from_parts(const std::string& cache) const;
  /// Recorded, or to be walked to from an earlier call's recorded history.
  [[nodiscard]] bool anchored(const std::string& cache) const;
  [[nodiscard]] const std::string* later_cache(const std::string& cache) const;
  [[nodiscard]] Tensor read_part(const std::string& part, const std::string& axes) const;

  const golden::ActivationFile& file_;
  const Plan& plan_;
  std::map<std::string, std::string> datasets_;  // tap -> dataset path
  std::map<std::string, Mismatch> mismatches_;
  std::map<std::string, std::string> holders_;  // part -> a recorded cache that holds it
};

}  // namespace parity::replay
