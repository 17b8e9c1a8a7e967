// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/hdf5/layout.hpp"

namespace parity::golden::hdf5 {
namespace {

constexpr uint64_t kAddressBytes = 8;
constexpr uint64_t kMaskBytes = 4;

/// The fixed array index: chunks in the order of the grid, in pages when there are many.
class FixedArray {
 public:
  FixedArray(const Image& image, const ChunkIndexPlace& place, size_t count)
      : image_(&image), place_(&place), count_(count) {
    Cursor cursor(image.checked_range(place.address, 4 + 1 + 1 + 1 + 1 + 8 + 8 + 4));
    cursor.expect("FAHD");
    cursor.expect_version(0, "a chunk index");
    expect_client(cursor);
    entry_bytes_ = cursor.u8();
    const uint8_t page_bits = cursor.u8();
    const uint64_t entries = cursor.u64();
    block_ = cursor.u64();
    const uint64_t least = place.filtered ? kAddressBytes + 1 + kMaskBytes : kAddressBytes;
    const bool sane = entries == count && entry_bytes_ >= least && entry_bytes_ <= least + 7 && page_bits < 32;
    PARITY_CHECK(sane, schema,
                 "the chunk index has {} entries of {} bytes for {} chunks; the file is damaged, copy it again",
                 entries, entry_bytes_, count);
    page_entries_ = uint64_t{1} << page_bits;
  }

  std::vector<Chunk> read() {
    if (block_ == kNowhere) return std::vector<Chunk>(count_);
    const uint64_t prefix = 4 + 1 + 1 + 8;
    if (count_ <= page_entries_) {
      Cursor cursor(image_->checked_range(block_, prefix + count_ * entry_bytes_ + 4));
      expect_block(cursor);
      add(cursor, count_);
      return std::move(chunks_);
    }
    const uint64_t pages = (count_ + page_entries_ - 1) / page_entries_;
    const uint64_t bitmap_bytes = (pages + 7) / 8;
    Cursor cursor(image_->checked_range(block_, prefix + bitmap_bytes + 4));
    expect_block(cursor);
    const ByteSpan written = cursor.take(bitmap_bytes);
    uint64_t address = block_ + prefix + bitmap_bytes + 4;
    for (uint64_t page = 0; page < pages; ++page) {
      const uint64_t entries = std::min(page_entries_, count_ - page * page_entries_);
      const uint64_t bytes = entries * entry_bytes_ + 4;
      const bool used = (std::to_integer<unsigned>(written[page / 8]) >> (7 - page % 8) & 1U) != 0;
      if (used) {
        Cursor elements(image_->checked_range(address, bytes));
        add(elements, entries);
      } else {
        chunks_.resize(chunks_.size() + entries);
      }
      address += bytes;
    }
    return std::move(chunks_);
  }

 private:
  void expect_client(Cursor& cursor) const {
    const uint8_t client = cursor.u8();
    PARITY_CHECK(client == (place_->filtered ? 1 : 0), schema,
                 "the chunk index is not of the kind that the dataset states; the file is damaged, copy it again");
  }

  void expect_block(Cursor& cursor) const {
    cursor.expect("FADB");
    cursor.expect_version(0, "a chunk index");
    expect_client(cursor);
    cursor.skip(8);  // header
  }

  void add(Cursor& cursor, uint64_t entries) {
    for (uint64_t i = 0; i < entries; ++i) {
      Chunk chunk;
      chunk.address = cursor.u64();
      chunk.bytes = place_->filtered ? cursor.number(entry_bytes_ - kAddressBytes - kMaskBytes) : place_->chunk_bytes;
      if (place_->filtered) chunk.skipped = cursor.u32();
      chunks_.push_back(chunk);
    }
  }

  const Image* image_;
  const ChunkIndexPlace* place_;
  size_t count_;
  uint64_t entry_bytes_ = 0;
  uint64_t page_entries_ = 0;
  uint64_t block_ = kNowhere;
  std::vector<Chunk> chunks_;
};

/// The chunk index of HDF5 1.8 and older, whose keys are the offsets of chunks.
class BTreeV1 {
 public:
  BTreeV1(const Image& image, const Shape& grid, const Shape& chunk_shape)
      : image_(&image), grid_(&grid), chunk_shape_(&chunk_shape), chunks_(static_cast<size_t>(element_count(grid))) {}

  std::vector<Chunk> read(uint64_t root) && {
    if (root != kNowhere) visit(root, 256);
    return std::move(chunks_);
  }

 private:
  void visit(uint64_t address, int above) {
    nodes_.enter(address);
    Cursor cursor = image_->from(address);
    cursor.expect("TREE");
    PARITY_CHECK(cursor.u8() == 1, schema,
                 "the B-tree that should list chunks lists something else; the file is damaged, copy it again");
    const uint8_t level = cursor.u8();
    PARITY_CHECK(level < above, schema, "a B-tree's levels do not decrease; the file is damaged, copy it again");
    const uint16_t entries = cursor.u16();
    cursor.skip(8 + 8);  // siblings
    for (int i = 0; i < entries; ++i) {
      Chunk chunk;
      chunk.bytes = cursor.u32();
      chunk.skipped = cursor.u32();
      const size_t place = place_of(cursor);
      chunk.address = cursor.u64();
      if (level > 0) {
        visit(chunk.address, level);
      } else {
        PARITY_CHECK(chunks_[place].address == kNowhere, schema,
                     "a chunk is stored twice; the file is damaged, copy it again");
        chunks_[place] = chunk;
      }
    }
  }

  size_t place_of(Cursor& cursor) const {
    int64_t place = 0;
    for (size_t axis = 0; axis < grid_->size(); ++axis) {
      const uint64_t offset = cursor.u64();
      const auto extent = static_cast<uint64_t>((*chunk_shape_)[axis]);
      const uint64_t index = offset / extent;
      PARITY_CHECK(offset % extent == 0 && index < static_cast<uint64_t>((*grid_)[axis]), schema,
                   "a chunk lies at {} of axis {}, outside of the tensor; the file is damaged, copy it again", offset,
                   axis);
      place = place * (*grid_)[axis] + static_cast<int64_t>(index);
    }
    cursor.skip(8);  // offset within an element
    return static_cast<size_t>(place);
  }

  const Image* image_;
  const Shape* grid_;
  const Shape* chunk_shape_;
  Once nodes_;
  std::vector<Chunk> chunks_;
};

std::vector<Chunk> implicit(const ChunkIndexPlace& place, size_t count) {
  std::vector<Chunk> chunks(count);
  for (size_t i = 0; i < count && place.address != kNowhere; ++i) {
    chunks[i] = {place.address + i * place.chunk_bytes, place.chunk_bytes, 0};
  }
  return chunks;
}

}  // namespace

std::vector<Chunk> read_chunk_index(const Image& image, const ChunkIndexPlace& place, const Shape& grid,
                                    const Shape& chunk_shape) {
  const auto count = static_cast<size_t>(element_count(grid));
  const bool resizable = place.kind == ChunkIndex::extensible_array || place.kind == ChunkIndex::btree_v2;
  PARITY_CHECK(!resizable, schema, "the dataset can be resized; write it with a fixed shape");
  if (place.address == kNowhere) return std::vector<Chunk>(count);
  switch (place.kind) {
    case ChunkIndex::single:
      PARITY_CHECK(count == 1, schema, "{} chunks are stored as a single chunk; the file is damaged, copy it again",
                   count);
      return {place.single};
    case ChunkIndex::implicit:
      return implicit(place, count);
    case ChunkIndex::fixed_array:
      return FixedArray(image, place, count).read();
    case ChunkIndex::btree_v1:
      return BTreeV1(image, grid, chunk_shape).read(place.address);
    default:
      break;
  }
  throw Error(ErrorCode::schema, fmt::format("chunk index type {} is not supported; write the file with the HDF5 "
                                             "library bound v110 (H5Pset_libver_bounds)",
                                             static_cast<int>(place.kind)));
}

}  // namespace parity::golden::hdf5
