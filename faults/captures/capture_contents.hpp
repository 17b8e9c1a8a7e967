// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A capture in memory: the contents of the file, which can be changed and written.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/weights.hpp"
#include "golden/files/activation_file.hpp"
#include "golden/files/activation_writer.hpp"

namespace parity::faults {

/// One dataset. Tensors may share the buffer, so copy the tensor before changing elements.
struct CapturedTap {
  Tensor values;
  std::vector<std::string> texts{};  // texts, if `values` is empty
  bool several = false;              // true: one text per position of an axis
  bool output = false;               // true for a tap, false for an input
  golden::TapLabels labels;
  std::map<std::string, std::string> attributes;
};

struct CaptureContents {
  std::map<std::string, golden::AttributeValue> root;
  std::map<std::string, CapturedTap> datasets;                       // key: path
  std::map<std::string, std::map<std::string, std::string>> groups;  // attributes of each group
  const WeightSource* published = nullptr;                           // the checkpoint's weights, which are not written

  [[nodiscard]] std::vector<std::string> outputs() const;
};

/// Reads a whole file except yardsticks and aliases. `outputs` lists the paths of taps.
[[nodiscard]] CaptureContents contents_of(const golden::ActivationFile& file, const std::vector<std::string>& outputs);
void write_capture(const CaptureContents& contents, const std::filesystem::path& file);

}  // namespace parity::faults
