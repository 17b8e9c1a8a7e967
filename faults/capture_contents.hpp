// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A capture in memory: what stands in the file, to be changed and written.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/weights.hpp"
#include "golden/activation_file.hpp"
#include "golden/activation_writer.hpp"

namespace parity::faults {

/// One dataset; its tensor's buffer may be shared: whoever changes elements takes a copy first.
struct CapturedTap {
  Tensor values;
  std::vector<std::string> texts{};  // where `values` is empty
  bool several = false;              // texts along an axis
  bool output = false;               // a tap, not an input
  golden::TapLabels labels;
  std::map<std::string, std::string> attributes;
};

struct CaptureContents {
  std::map<std::string, golden::AttributeValue> root;
  std::map<std::string, CapturedTap> datasets;                       // by path
  std::map<std::string, std::map<std::string, std::string>> groups;  // attributes
  const WeightSource* published = nullptr;                           // the checkpoint's, which are not written

  [[nodiscard]] std::vector<std::string> outputs() const;
};

/// Reads a file whole, but for yardsticks and further names of a dataset. `outputs`: paths of taps.
[[nodiscard]] CaptureContents contents_of(const golden::ActivationFile& file, const std::vector<std::string>& outputs);
void write_capture(const CaptureContents& contents, const std::filesystem::path& file);

}  // namespace parity::faults
