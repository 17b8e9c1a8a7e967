// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes captures: what `--candidate capture:FILE` judges.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "golden/activation_writer.hpp"
#include "golden/golden.hpp"
#include "replay/tap_source.hpp"

namespace parity::replay {

using CaptureRoot = std::map<std::string, golden::AttributeValue>;

/// The root of a declared capture of format 1.1: what the golden says of the run, not of who made its values, and which
/// golden it is. The implementation is the golden's where the capture says nothing of it.
[[nodiscard]] CaptureRoot declared_root(const golden::Golden& golden);

/// The golden's datasets that record outputs of the plan, and their taps.
[[nodiscard]] std::map<std::string, std::string> recorded_outputs(const golden::Golden& golden, const Plan& plan);

/// Writes one recorded output of the plan, or nothing; `info` is the golden's dataset of `tap`.
using OfferTap =
    std::function<void(const golden::DatasetInfo& info, const std::string& tap, golden::ActivationWriter& out)>;
/// The golden's inputs, configuration and calls under `root`; outputs as `offer` writes them. The file has its name once it
/// is whole; one that was there is exchanged.
void write_capture_file(const golden::Golden& golden, const Plan& plan, const CaptureRoot& root, const OfferTap& offer,
                        const std::filesystem::path& file);
/// Attributes of a dataset that the writer does not set itself: sizes of images, edits.
void copy_attributes(const golden::DatasetInfo& info, golden::ActivationWriter& out);
[[nodiscard]] golden::TapLabels labels_of(const golden::DatasetInfo& info);

/// A candidate's own run.
struct SavedRun {
  const TapSource& taps;
  /// Of a tap that was read: the candidate computed it itself. Others are lent to it.
  std::function<bool(const std::string& tap)> own;
  std::string rounding;  // as it states it; empty: not
};

/// The run as a declared capture: of the golden's outputs those that it has, the others declared not computed.
void write_capture(const golden::Golden& golden, const Plan& plan, const SavedRun& run,
                   const std::filesystem::path& file);
/// The recording itself under its own root: without the marker, as it was not computed.
void write_copy(const golden::Golden& golden, const TapSource& taps, const std::filesystem::path& file);

}  // namespace parity::replay
