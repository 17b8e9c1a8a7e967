// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Recorded activations: what an activations.h5 holds, and its tensors. Files may come from anyone: whatever is damaged
// or absurd ends in an Error, before memory is taken for it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.hpp"

namespace parity::golden {

/// Attributes as text; numbers are printed.
using Attributes = std::map<std::string, std::string>;

/// One name of one dataset.
struct DatasetInfo {
  std::string path;  // "steps/000/text/embed/out", without a leading slash
  Shape shape;
  DType dtype = DType::u8;   // as stored; bool when the attribute dtype says so
  bool text = false;         // holds text: read_texts, not read
  std::string axes;          // "B,S,H"
  std::string role;          // input | output | parameter | state
  std::string component;     // that produces the tap
  std::string alias_of;      // the object's first name when this is a further one; else empty
  int64_t stored_bytes = 0;  // in the file, compressed
  Attributes attributes;     // all of them, hf_name and dtype for example

  [[nodiscard]] int64_t bytes() const { return text ? 0 : element_count(shape) * size_of(dtype); }
};

/// A read-only file whose contents were listed, and checked against the file's size, once. Movable; any number of threads
/// may read. The file is mapped: if it shrinks meanwhile, the process ends, as with every mapped file.
class ActivationFile {
 public:
  [[nodiscard]] static ActivationFile open(const std::filesystem::path& path);
  ActivationFile(ActivationFile&&) noexcept;
  ActivationFile& operator=(ActivationFile&&) noexcept;
  ~ActivationFile();

  [[nodiscard]] const std::filesystem::path& path() const;
  [[nodiscard]] int64_t file_bytes() const;

  /// Every name, in alphabetical order. Of several names of one object, the first that does not end in "/in" is the
  /// object's own; the others are aliases.
  [[nodiscard]] const std::vector<DatasetInfo>& datasets() const;
  [[nodiscard]] const DatasetInfo* find(std::string_view path) const;  // nullptr when there is none
  [[nodiscard]] bool contains(std::string_view path) const { return find(path) != nullptr; }
  /// Error{not_found} names the nearest dataset.
  [[nodiscard]] const DatasetInfo& at(std::string_view path) const;

  /// The elements as stored: bf16 stays bf16. The tensor carries the dataset's axes.
  [[nodiscard]] Tensor read(std::string_view path) const;
  /// Rows [first, first + count) of the first axis.
  [[nodiscard]] Tensor read_rows(std::string_view path, int64_t first, int64_t count) const;
  /// The elements from `start` on, so many of each axis.
  [[nodiscard]] Tensor read_box(std::string_view path, const Shape& start, const Shape& extents) const;
  /// All elements in row-major order, in blocks of at most `most_bytes` that keep every axis.
  void for_each_block(std::string_view path, int64_t most_bytes,
                      const std::function<void(const TensorView&)>& body) const;
  [[nodiscard]] std::string read_text(std::string_view path) const;  // one text: /config
  [[nodiscard]] std::vector<std::string> read_texts(std::string_view path) const;

  [[nodiscard]] const Attributes& attributes() const { return group_attributes(""); }  // of the file
  /// Of a group ("steps/000"); empty when there is no such group.
  [[nodiscard]] const Attributes& group_attributes(std::string_view group) const;
  [[nodiscard]] const std::map<std::string, Attributes, std::less<>>& groups() const;

 private:
  struct State;
  explicit ActivationFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace parity::golden
