// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes an activations.h5 of format 1.0 (or 1.1, by `root`) for `ActivationFile`. Equal contents give equal bytes.
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

/// Attributes of a dataset except its dtype.
struct TapLabels {
  std::string axes;  // "B,S,H"; empty for a scalar
  std::string role;  // input | output | parameter | state
  std::string component;
};

class ActivationWriter {
 public:
  /// Creates a file under a temporary name until commit(). Adds format and, if absent, format_version to `root`.
  [[nodiscard]] static ActivationWriter create(const std::filesystem::path& path,
                                               const std::map<std::string, AttributeValue>& root);
  ActivationWriter(ActivationWriter&&) noexcept;
  ActivationWriter& operator=(ActivationWriter&&) = delete;
  ~ActivationWriter();  // removes the file unless it was committed

  /// Writes a dataset and creates the groups in its path.
  void write(const std::string& path, const TensorView& tensor, const TapLabels& labels);
  void write_text(const std::string& path, const std::string& text);                 // "config"
  void write_texts(const std::string& path, const std::vector<std::string>& texts);  // a dataset with one axis
  /// Gives an existing dataset another name.
  void link(const std::string& new_path, const std::string& existing_path);
  void group_attribute(const std::string& group, const std::string& name, const AttributeValue& value);
  void dataset_attribute(const std::string& path, const std::string& name, const AttributeValue& value);

  /// Stores a checksum of the values with each dataset of numbers that is written after this call; `golden verify`
  /// compares it. Not for files whose values are filled in later.
  void keep_checksums();

  /// Creates a dataset that does not fit in memory; append_rows must then append all its rows, in order.
  void create_dataset(const std::string& path, DType dtype, const Shape& shape, const TapLabels& labels);
  void append_rows(const std::string& path, const TensorView& rows);

  /// Closes and renames the file. Throws Error{internal} when appended rows are missing, Error{io} on a full disk.
  void commit();

 private:
  struct State;
  explicit ActivationWriter(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace parity::golden
