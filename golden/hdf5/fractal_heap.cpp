// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/hdf5/fractal_heap.hpp"

#include <bit>

namespace parity::golden::hdf5 {
namespace {

constexpr uint64_t kHeapHeaderBytes = 146;  // without filters
constexpr uint64_t kLargestBlock = uint64_t{1} << 32;
constexpr uint64_t kMostRows = 64;

}  // namespace

FractalHeap::FractalHeap(const Image& image, uint64_t address) : image_(&image) {
  Cursor cursor(image.checked_range(address, kHeapHeaderBytes));
  cursor.expect("FRHP");
  cursor.expect_version(0, "a heap");
  cursor.skip(2);  // bytes of an ID
  PARITY_CHECK(cursor.u16() == 0, schema, "an HDF5 heap is compressed, which is not supported; repack with h5repack");
  cursor.skip(1);  // flags
  const uint32_t largest_object = cursor.u32();
  cursor.skip(8 + 8 + 8 + 8);  // huge objects, free space
  cursor.skip(8 + 8 + 8 + 8);  // managed space and objects
  cursor.skip(8 + 8 + 8 + 8);  // sizes and numbers of huge and tiny objects
  columns_ = cursor.u16();
  start_size_ = cursor.u64();
  const uint64_t largest_block = cursor.u64();
  const uint64_t address_bits = cursor.u16();
  cursor.skip(2);  // rows at the start
  root_ = cursor.u64();
  root_rows_ = cursor.u16();
  const bool sane = columns_ > 0 && std::has_single_bit(start_size_) && std::has_single_bit(largest_block) &&
                    start_size_ <= largest_block && largest_block <= kLargestBlock && address_bits <= 64 &&
                    root_rows_ <= kMostRows;
  PARITY_CHECK(sane, schema, "the heap at {} has impossible sizes; the file is damaged, copy it again", address);
  offset_width_ = (address_bits + 7) / 8;
  const auto log2 = [](uint64_t power) { return static_cast<uint64_t>(std::countr_zero(power)); };
  length_width_ = std::min((log2(largest_block) + 7) / 8, width_for(largest_object));
  direct_rows_ = log2(largest_block) - log2(start_size_) + 2;
}

ByteSpan FractalHeap::object(ByteSpan id) const {
  Cursor cursor(id);
  const uint8_t flags = cursor.u8();
  const int kind = (flags >> 4) & 0x03;
  if (kind == 2) return cursor.take((flags & 0x0FU) + 1);  // the object is so short that the ID contains it
  PARITY_CHECK(kind == 0, schema, "an HDF5 name or attribute is too long; shorten it");
  const uint64_t offset = cursor.number(offset_width_);
  return managed_object(offset, cursor.number(length_width_));
}

/// Descends the tables of blocks. Offsets count the blocks' headers.
ByteSpan FractalHeap::managed_object(uint64_t offset, uint64_t length) const {
  uint64_t block = root_;
  uint64_t rows = root_rows_;
  uint64_t size = start_size_;
  const uint64_t header = 4 + 1 + 8 + offset_width_;
  while (rows > 0) {
    uint64_t row = 0;
    while (row < rows && offset >= columns_ * row_size(row)) offset -= columns_ * row_size(row++);
    PARITY_CHECK(row < rows, schema, "a heap ID points after the end of the heap; the file is damaged, copy it again");
    size = row_size(row);
    const uint64_t entry = row * columns_ + offset / size;
    offset %= size;
    Cursor cursor = image_->from(block);
    cursor.expect("FHIB");
    cursor.skip(header - 4 + entry * 8);
    block = cursor.u64();
    const uint64_t below =
        row < direct_rows_ ? 0 : static_cast<uint64_t>(std::bit_width(size / (start_size_ * columns_)));
    PARITY_CHECK(below < rows, schema, "a heap's tables do not get smaller; the file is damaged, copy it again");
    rows = below;
  }
  PARITY_CHECK(offset >= header && length <= size && offset <= size - length, schema,
               "a heap ID points outside of its block; the file is damaged, copy it again");
  Cursor(image_->range(block, size)).expect("FHDB");
  return image_->range(block + offset, length);
}

}  // namespace parity::golden::hdf5
