// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The elements of one dataset.
#pragma once

#include "golden/hdf5/global_heap.hpp"
#include "golden/hdf5/layout.hpp"

namespace parity::golden::hdf5 {

class Dataset {
 public:
  /// Throws Error{schema} when the description is impossible, as parse_layout does.
  Dataset(const Image& image, const ObjectHeader& object);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const StoredType& type() const { return type_; }
  [[nodiscard]] uint64_t stored_bytes() const { return layout_.stored_bytes; }

  /// Reads the box of `extents` elements from `start` on into a row-major buffer, as stored. Caches the last chunk.
  void read(const Shape& start, const Shape& extents, std::byte* target);
  /// All elements of a dataset of texts.
  [[nodiscard]] std::vector<std::string> texts();

 private:
  [[nodiscard]] ByteSpan chunk(size_t index);
  [[nodiscard]] ByteSpan decode(const Chunk& chunk);

  const Image* image_;
  Shape shape_;
  StoredType type_;
  Layout layout_;
  size_t decoded_index_ = SIZE_MAX;
  std::vector<std::byte> decoded_;
};

}  // namespace parity::golden::hdf5
