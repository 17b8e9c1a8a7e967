// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Dense storage: more than eight links or attributes are in a fractal heap; a version 2 B-tree lists their heap IDs.
#pragma once

#include <vector>

#include "golden/hdf5/image.hpp"

namespace parity::golden::hdf5 {

/// A fractal heap: an address space of blocks whose sizes double from row to row.
class FractalHeap {
 public:
  FractalHeap(const Image& image, uint64_t address);

  /// The object that a heap ID names.
  [[nodiscard]] ByteSpan object(ByteSpan id) const;

 private:
  [[nodiscard]] ByteSpan managed_object(uint64_t offset, uint64_t length) const;
  [[nodiscard]] uint64_t row_size(uint64_t row) const { return row == 0 ? start_size_ : start_size_ << (row - 1); }

  const Image* image_;
  uint64_t offset_width_ = 0;
  uint64_t length_width_ = 0;
  uint64_t columns_ = 0;
  uint64_t start_size_ = 0;
  uint64_t direct_rows_ = 0;  // rows of blocks with objects; further rows have tables of blocks
  uint64_t root_ = 0;
  uint64_t root_rows_ = 0;  // 0: the root is one block of objects
};

/// All records of a version 2 B-tree whose records have type `type`, in the tree's order.
[[nodiscard]] std::vector<ByteSpan> btree_records(const Image& image, uint64_t address, uint8_t type);

}  // namespace parity::golden::hdf5
