// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Recorded activations: the list of contents and the tensors of an activations.h5. Files may come from anyone: whatever
// is damaged or absurd ends in an Error, before memory is allocated for it.
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

/// Attributes by name, with their values as text; numbers are printed.
using Attributes = std::map<std::string, std::string>;

/// One name of a dataset, with a description of the dataset. A dataset may have several names.
struct DatasetInfo {
  std::string path;  // "steps/000/text/embed/out", without a leading slash
  Shape shape;
  DType dtype = DType::u8;   // as stored; bool if the attribute `dtype` is "bool"
  bool text = false;         // the elements are texts: read_texts, not read
  std::string axes;          // "B,S,H"
  std::string role;          // input | output | parameter | state
  std::string component;     // component that produces the tap
  std::string alias_of;      // the dataset's first name if this is a further one; else empty
  int64_t stored_bytes = 0;  // bytes in the file, compressed
  Attributes attributes;     // all attributes, for example hf_name and dtype

  [[nodiscard]] int64_t bytes() const { return text ? 0 : element_count(shape) * size_of(dtype); }
};

/// A read-only file whose contents are listed, and checked against the file's size, when it is opened. Movable; several
/// threads may read at once. The file is mapped, so the process ends if the file shrinks while it is open.
class ActivationFile {
 public:
  [[nodiscard]] static ActivationFile open(const std::filesystem::path& path);
  ActivationFile(ActivationFile&&) noexcept;
  ActivationFile& operator=(ActivationFile&&) noexcept;
  ~ActivationFile();

  [[nodiscard]] const std::filesystem::path& path() const;
  [[nodiscard]] int64_t file_bytes() const;

  /// Every name of every dataset, in alphabetical order. Of the names of one dataset, the first that does not end in
  /// "/in" is its main name; the others are aliases.
  [[nodiscard]] const std::vector<DatasetInfo>& datasets() const;
  [[nodiscard]] const DatasetInfo* find(std::string_view path) const;  // nullptr if there is none
  [[nodiscard]] bool contains(std::string_view path) const { return find(path) != nullptr; }
  /// The dataset called `path`. Throws Error{not_found}, which names the nearest dataset.
  [[nodiscard]] const DatasetInfo& at(std::string_view path) const;

  /// The elements as stored: bf16 remains bf16. The tensor has the dataset's axes.
  [[nodiscard]] Tensor read(std::string_view path) const;
  /// Indices [first, first + count) of the first axis.
  [[nodiscard]] Tensor read_rows(std::string_view path, int64_t first, int64_t count) const;
  /// The box of `extents` elements along each axis, from `start` on.
  [[nodiscard]] Tensor read_box(std::string_view path, const Shape& start, const Shape& extents) const;
  /// Calls `body` for all elements in row-major order, in blocks of at most `most_bytes`; a block has all axes.
  void for_each_block(std::string_view path, int64_t most_bytes,
                      const std::function<void(const TensorView&)>& body) const;
  [[nodiscard]] std::string read_text(std::string_view path) const;  // a single text: /config
  [[nodiscard]] std::vector<std::string> read_texts(std::string_view path) const;

  [[nodiscard]] const Attributes& attributes() const { return group_attributes(""); }  // of the root group
  /// Attributes of a group ("steps/000"); empty when there is no such group.
  [[nodiscard]] const Attributes& group_attributes(std::string_view group) const;
  [[nodiscard]] const std::map<std::string, Attributes, std::less<>>& groups() const;

 private:
  struct State;
  explicit ActivationFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace parity::golden
