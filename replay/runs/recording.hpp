// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The taps of a plan in a file: its datasets and aliases, checked against the plan.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "golden/sources/declaration.hpp"
#include "replay/captures/stored_tap.hpp"
#include "replay/captures/tap_source.hpp"

namespace parity::replay {

class Recording final : public TapSource {
 public:
  /// Checks shape and type of every dataset that the plan has. Throws Error{schema} for a wrong input (tokens/),
  /// because the calls would be others. Other wrong taps become mismatches.
  Recording(const golden::ActivationFile& file, const Plan& plan);
  /// Opens a capture of the golden's calls. It may have other element types and orders of axes, and lack taps that it
  /// declares absent. Inputs are the golden's, which are equal. A tap that was not computed has `golden`'s value (0 if
  /// it has none), so that no input is uninitialised. `golden` must outlive the object.
  Recording(const golden::ActivationFile& capture, const Recording& golden, golden::Declaration declared);

  /// Whether the tap is recorded under its name or an alias, and so is judged.
  [[nodiscard]] bool has(const std::string& tap) const override;
  [[nodiscard]] std::vector<bool> uncomputed(const std::string& tap) const override;
  [[nodiscard]] const std::map<std::string, Mismatch>& mismatches() const { return mismatches_; }
  /// Returns the taps whose dataset was created but not filled.
  [[nodiscard]] const std::set<std::string>& unfilled() const { return unfilled_; }
  /// Returns the taps that other software computed, as the capture states: inputs of later nodes, but not judged.
  [[nodiscard]] const std::set<std::string>& lent() const { return lent_; }
  /// Returns the taps that are filled although the capture states that they were not computed.
  [[nodiscard]] const std::set<std::string>& contradicted() const { return contradicted_; }
  /// Returns the datasets that are neither judged nor used: unfilled, or declared as not computed.
  [[nodiscard]] const std::set<std::string>& left_out() const { return left_out_; }
  /// Returns the dataset that records the tap.
  [[nodiscard]] const std::string& dataset(const std::string& tap) const { return datasets_.at(tap); }
  [[nodiscard]] const golden::ActivationFile& file() const { return file_; }
  [[nodiscard]] const golden::Declaration& declared() const { return declared_; }

 private:
  void find_datasets();
  void take(const std::string& tap, const std::string& dataset);
  /// Whether the tap is one rank's part of a dataset that a single process recorded.
  [[nodiscard]] bool is_cut(const std::string& tap) const;
  /// Returns the tap as its dataset has it: whole, if only a part of it belongs to the rank.
  [[nodiscard]] TapInfo recorded_info(const std::string& tap) const;
  [[nodiscard]] Tensor held(const std::string& tap) const override;
  [[nodiscard]] std::optional<Mismatch> mismatch(const std::string& dataset, const TapInfo& info) const;
  [[nodiscard]] std::optional<Mismatch> mismatch_of_text(const std::string& dataset, const TapInfo& info) const;
  [[nodiscard]] std::optional<Mismatch> contradicting_axes(const std::string& tap, const std::string& dataset) const;
  [[nodiscard]] std::string shape_reason(const std::string& dataset, const TapInfo& info) const;
  /// Reads a dataset. A tap recorded once for all sequences is repeated for each.
  [[nodiscard]] Tensor read_dataset(const std::string& dataset, const TapInfo& info) const;
  /// Replaces values that stand for -inf, and elements that were not computed by the golden's.
  void restore(const std::string& tap, Tensor& values) const;

  const golden::ActivationFile& file_;
  const Recording* golden_ = nullptr;  // only of a capture
  golden::Declaration declared_;
  std::map<std::string, std::string> datasets_;  // tap -> dataset path
  std::map<std::string, Mismatch> mismatches_;
  std::set<std::string> unfilled_, lent_, contradicted_, left_out_;
};

}  // namespace parity::replay
