// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes captures, which `--candidate capture:FILE` judges.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "golden/files/activation_writer.hpp"
#include "golden/golden.hpp"
#include "replay/captures/tap_source.hpp"

namespace parity::replay {

using CaptureRoot = std::map<std::string, golden::AttributeValue>;

/// Returns the root attributes of a declared capture of format 1.1: those of the golden about the run, but not about
/// who made its values, and the golden's identity. Without further statements the implementation is the golden's.
[[nodiscard]] CaptureRoot declared_root(const golden::Golden& golden);

/// Returns the golden's datasets that record outputs of the plan, with their taps.
[[nodiscard]] std::map<std::string, std::string> recorded_outputs(const golden::Golden& golden, const Plan& plan);

/// Writes one recorded output of the plan, or leaves it out. `info` describes the golden's dataset of `tap`.
using OfferTap =
    std::function<void(const golden::DatasetInfo& info, const std::string& tap, golden::ActivationWriter& out)>;
/// Writes the golden's inputs, configuration and calls under `root`, and the outputs that `offer` writes. The file gets
/// its name only when it is complete, and replaces an existing one. `more` writes what the golden has no dataset of.
void write_capture_file(const golden::Golden& golden, const Plan& plan, const CaptureRoot& root, const OfferTap& offer,
                        const std::filesystem::path& file,
                        const std::function<void(golden::ActivationWriter& out)>& more = {});
/// Copies attributes of a dataset that the writer does not set itself: sizes of images, edits.
void copy_attributes(const golden::DatasetInfo& info, golden::ActivationWriter& out);
[[nodiscard]] golden::TapLabels labels_of(const golden::DatasetInfo& info);

/// A run of a candidate to be saved.
struct SavedRun {
  const TapSource& taps;
  /// Whether the candidate itself computed a tap that was read. Other taps are marked as lent.
  std::function<bool(const std::string& tap)> own;
  std::string rounding;  // rounding that the candidate states; empty: none stated
  std::string layout{};  // of the ranks that ran (docs/ranks.md); empty: one process
};

/// Writes the run as a declared capture. Outputs of the golden that the run lacks are declared as not computed. Of a run
/// of several ranks, each tap of each rank is written under its own name.
void write_capture(const golden::Golden& golden, const Plan& plan, const SavedRun& run,
                   const std::filesystem::path& file);
/// Writes the recording itself under its root attributes. It has no marker, because nothing was computed.
void write_copy(const golden::Golden& golden, const TapSource& taps, const std::filesystem::path& file);

}  // namespace parity::replay
