// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The taps of a plan as a file has them: datasets and aliases, checked against the plan.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "golden/declaration.hpp"
#include "replay/stored_tap.hpp"
#include "replay/tap_source.hpp"

namespace parity::replay {

class Recording final : public TapSource {
 public:
  /// Checks shape and type of every dataset that the plan knows. Error{schema} for an input of the plan (tokens/), whose
  /// calls would be about something else; other taps become mismatches.
  Recording(const golden::ActivationFile& file, const Plan& plan);
  /// A capture of the golden's calls: it may store other element types and orders of axes and leave out what it declares.
  /// Inputs are the golden's, which are the same; where a tap was not computed, `golden`'s value stands (0 if it has
  /// none), so that no input holds uninitialised values. `golden` must outlive it.
  Recording(const golden::ActivationFile& capture, const Recording& golden, golden::Declaration declared);

  /// Recorded under its own name or an alias: judged.
  [[nodiscard]] bool has(const std::string& tap) const override;
  [[nodiscard]] std::vector<bool> uncomputed(const std::string& tap) const override;
  [[nodiscard]] const std::map<std::string, Mismatch>& mismatches() const { return mismatches_; }
  /// Taps whose dataset was created but not filled.
  [[nodiscard]] const std::set<std::string>& unfilled() const { return unfilled_; }
  /// Taps that, as the capture says, other software computed: they are inputs of later nodes and are not judged.
  [[nodiscard]] const std::set<std::string>& lent() const { return lent_; }
  /// Taps that are filled although the capture says that they were not computed.
  [[nodiscard]] const std::set<std::string>& contradicted() const { return contradicted_; }
  /// Datasets that are neither judged nor used: unfilled, or declared not computed.
  [[nodiscard]] const std::set<std::string>& left_out() const { return left_out_; }
  /// The dataset that records the tap.
  [[nodiscard]] const std::string& dataset(const std::string& tap) const { return datasets_.at(tap); }
  [[nodiscard]] const golden::ActivationFile& file() const { return file_; }
  [[nodiscard]] const golden::Declaration& declared() const { return declared_; }

 private:
  void find_datasets();
  void take(const std::string& tap, const std::string& dataset);
  [[nodiscard]] Tensor held(const std::string& tap) const override;
  [[nodiscard]] std::optional<Mismatch> mismatch(const std::string& dataset, const TapInfo& info) const;
  [[nodiscard]] std::optional<Mismatch> mismatch_of_text(const std::string& dataset, const TapInfo& info) const;
  [[nodiscard]] std::optional<Mismatch> contradicting_axes(const std::string& tap, const std::string& dataset) const;
  [[nodiscard]] std::string shape_reason(const std::string& dataset, const TapInfo& info) const;
  /// What is recorded once for all sequences is repeated for each.
  [[nodiscard]] Tensor read_dataset(const std::string& dataset, const TapInfo& info) const;
  /// Values that stand for -inf, and the golden's where nothing was computed.
  void restore(const std::string& tap, Tensor& values) const;

  const golden::ActivationFile& file_;
  const Recording* golden_ = nullptr;  // of a capture
  golden::Declaration declared_;
  std::map<std::string, std::string> datasets_;  // tap -> dataset path
  std::map<std::string, Mismatch> mismatches_;
  std::set<std::string> unfilled_, lent_, contradicted_, left_out_;
};

}  // namespace parity::replay
