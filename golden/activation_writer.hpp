// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes an activations.h5 of format 1.0 (1.1 where `root` says so): what `ActivationFile` reads. The same contents give the same bytes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/tensor.hpp"

namespace parity::golden {

using AttributeValue = std::variant<std::string, int64_t, double>;

/// Attributes of a dataset beside its dtype.
struct TapLabels {
  std::string axes;  // "B,S,H"; empty for a scalar
  std::string role;  // input | output | parameter | state
  std::string component;
};

class ActivationWriter {
 public:
  /// `root`: system, oracle, profile, …; format is added, and format_version where there is none. Until `commit` the file has another name.
  [[nodiscard]] static ActivationWriter create(const std::filesystem::path& path,
                                               const std::map<std::string, AttributeValue>& root);
  ActivationWriter(ActivationWriter&&) noexcept;
  ActivationWriter& operator=(ActivationWriter&&) = delete;
  ~ActivationWriter();  // without commit nothing is left

  /// Groups on the way are made.
  void write(const std::string& path, const TensorView& tensor, const TapLabels& labels);
  void write_text(const std::string& path, const std::string& text);                 // "config"
  void write_texts(const std::string& path, const std::vector<std::string>& texts);  // one axis
  /// A further name of the same dataset.
  void link(const std::string& new_path, const std::string& existing_path);
  void group_attribute(const std::string& group, const std::string& name, const AttributeValue& value);
  void dataset_attribute(const std::string& path, const std::string& name, const AttributeValue& value);

  /// From here on datasets of numbers keep a checksum of their values, which `golden verify` compares. Not for files that
  /// somebody fills afterwards.
  void keep_checksums();

  /// For what does not fit in memory: all rows of the first axis are appended afterwards, in order, in any portions.
  void create_dataset(const std::string& path, DType dtype, const Shape& shape, const TapLabels& labels);
  void append_rows(const std::string& path, const TensorView& rows);

  /// Closes the file and gives it its name; Error{internal} when appended rows are missing, Error{io} on a full disk.
  void commit();

 private:
  struct State;
  explicit ActivationWriter(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace parity::golden
