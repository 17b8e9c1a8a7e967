// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/hdf5/layout.hpp"

namespace parity::golden::hdf5 {
namespace {

constexpr uint64_t kDeflateRatio = 1032;  // of zlib's format: 2 bits expand to at most 258 bytes
constexpr uint64_t kDeflateSlack = 64;
constexpr uint64_t kMostFilteredBytes = uint64_t{32} << 20;  // a chunk is in memory twice while it is decoded
constexpr uint64_t kLeastChunkBytes =
    8;  // of a deflated chunk, zlib's own header and checksum; of its place in an index

enum class LayoutClass : uint8_t { compact = 0, contiguous = 1, chunked = 2, virtual_dataset = 3 };

uint64_t product(uint64_t a, uint64_t b) {
  uint64_t result = 0;
  PARITY_CHECK(!__builtin_mul_overflow(a, b, &result) && result <= (uint64_t{1} << 62), schema,
               "the dataset claims {} x {} bytes, which is impossible; the file is damaged, copy it again", a, b);
  return result;
}

std::vector<FilterKind> parse_filters(ByteSpan message) {
  Cursor cursor(message);
  const uint8_t version = cursor.u8();
  PARITY_CHECK(version == 1 || version == 2, schema,
               "the HDF5 filter message has version {}, not 1 or 2; the file is damaged, copy it again", version);
  const uint8_t count = cursor.u8();
  if (version == 1) cursor.skip(6);
  std::vector<FilterKind> filters;
  for (int i = 0; i < count; ++i) {
    const uint16_t id = cursor.u16();
    const auto kind = static_cast<FilterKind>(id);
    PARITY_CHECK(kind == FilterKind::deflate || kind == FilterKind::shuffle, schema,
                 "HDF5 filter {} is neither shuffle nor deflate; repack with h5repack -f SHUF -f GZIP=1", id);
    const uint64_t name_bytes = version == 1 ? cursor.u16() : 0;
    cursor.skip(2);  // flags
    const uint16_t values = cursor.u16();
    cursor.skip(name_bytes);
    cursor.skip(uint64_t{4} * values + (version == 1 && values % 2 == 1 ? 4 : 0));
    for (const FilterKind other : filters)
      PARITY_CHECK(other != kind, schema, "filter {} is applied twice; repack with h5repack", id);
    filters.push_back(kind);
  }
  return filters;
}

struct Parser {
  const Image& image;
  const Shape& shape;
  uint64_t element_bytes;
  Layout layout;

  void contiguous(Cursor& cursor) {
    const uint64_t address = cursor.u64();
    cursor.skip(8);  // size, which follows from the shape
    layout.chunk_shape = shape;
    const uint64_t bytes = product(static_cast<uint64_t>(element_count(shape)), element_bytes);
    layout.chunks = {{address, bytes, 0}};
  }

  void compact(Cursor& cursor) {
    const uint16_t size = cursor.u16();
    layout.compact = cursor.take(size);
    layout.chunk_shape = shape;
    const uint64_t bytes = product(static_cast<uint64_t>(element_count(shape)), element_bytes);
    PARITY_CHECK(bytes <= size, schema, "the dataset claims {} bytes but stores {}; the file is damaged, copy it again",
                 bytes, size);
    layout.stored_bytes = size;
  }

  void chunk_extents(Cursor& cursor, uint8_t axes, uint64_t width) {
    PARITY_CHECK(axes == shape.size() + 1, schema,
                 "a dataset of {} axes has chunks of {} axes; the file is damaged, copy it again", shape.size(),
                 axes - 1);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const uint64_t extent = cursor.number(width);
      PARITY_CHECK(extent > 0 && extent <= (uint64_t{1} << 62), schema,
                   "chunks have the extent {}; the file is damaged, copy it again", extent);
      layout.chunk_shape.push_back(static_cast<int64_t>(extent));
    }
    PARITY_CHECK(cursor.number(width) == element_bytes, schema,
                 "chunks have elements of another size than the dataset; the file is damaged, copy it again");
  }

  void chunked(Cursor& cursor, uint8_t version) {
    ChunkIndexPlace place;
    place.filtered = !layout.filters.empty();
    if (version == 3) {
      const uint8_t axes = cursor.u8();
      place.address = cursor.u64();
      chunk_extents(cursor, axes, 4);
    } else {
      const uint8_t flags = cursor.u8();
      PARITY_CHECK((flags & 0x01) == 0, schema,
                   "the dataset leaves chunks at the edges uncompressed, which is not supported; repack with h5repack");
      const uint8_t axes = cursor.u8();
      chunk_extents(cursor, axes, cursor.u8());
      place.kind = static_cast<ChunkIndex>(cursor.u8());
      place_newer(cursor, (flags & 0x02) != 0, place);
    }
    place.chunk_bytes = chunk_bytes();
    PARITY_CHECK(!place.filtered || place.chunk_bytes <= kMostFilteredBytes, schema,
                 "the dataset has a chunk that expands to {} bytes; to limit memory, at most {} are allowed; repack "
                 "with h5repack -l CHUNK=…, or without compression",
                 place.chunk_bytes, kMostFilteredBytes);
    if (place.kind == ChunkIndex::single && !place.filtered) place.single.bytes = place.chunk_bytes;
    const Shape grid = grid_of(shape, layout.chunk_shape);
    PARITY_CHECK(product(static_cast<uint64_t>(element_count(grid)), kLeastChunkBytes) <= image.size(), schema,
                 "{} chunks cannot be stored in a file of {} bytes: the file is damaged; copy it again",
                 element_count(grid), image.size());
    layout.chunks = read_chunk_index(image, place, grid, layout.chunk_shape);
  }

  void place_newer(Cursor& cursor, bool sized, ChunkIndexPlace& place) const {
    switch (place.kind) {
      case ChunkIndex::single:
        PARITY_CHECK(sized == place.filtered, schema,
                     "a chunk's size and its filters contradict each other; the file is damaged, copy it again");
        if (sized) place.single.bytes = cursor.u64();
        if (sized) place.single.skipped = cursor.u32();
        break;
      case ChunkIndex::implicit:
        break;
      case ChunkIndex::fixed_array:
        cursor.skip(1);
        break;
      default:
        return;  // read_chunk_index refuses it with its name
    }
    place.address = cursor.u64();
    place.single.address = place.address;
  }

  [[nodiscard]] uint64_t chunk_bytes() const {
    uint64_t bytes = element_bytes;
    for (const int64_t extent : layout.chunk_shape) bytes = product(bytes, static_cast<uint64_t>(extent));
    return bytes;
  }

  void check_chunks() {
    const uint64_t whole = chunk_bytes();
    for (const Chunk& chunk : layout.chunks) {
      PARITY_CHECK(chunk.address != kNowhere, schema,
                   "the dataset has elements that were never written; write the whole dataset");
      (void)image.range(chunk.address, chunk.bytes);
      const bool deflated =
          layout.filters.end() != std::find(layout.filters.begin(), layout.filters.end(), FilterKind::deflate);
      const bool fits = deflated ? whole <= chunk.bytes * kDeflateRatio + kDeflateSlack : whole == chunk.bytes;
      PARITY_CHECK(fits, schema, "a chunk of {} bytes cannot be stored in {} bytes; the file is damaged, copy it again",
                   whole, chunk.bytes);
      layout.stored_bytes += chunk.bytes;
      PARITY_CHECK(layout.stored_bytes <= image.size(), schema,
                   "the dataset claims more bytes than the file has; copy the file again");
    }
  }
};

}  // namespace

Shape grid_of(const Shape& shape, const Shape& chunk_shape) {
  Shape grid;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    grid.push_back(shape[axis] / chunk_shape[axis] + (shape[axis] % chunk_shape[axis] != 0 ? 1 : 0));
  }
  return grid;
}

Layout parse_layout(const Image& image, const ObjectHeader& dataset, const Shape& shape, int64_t element_bytes) {
  PARITY_CHECK(!dataset.has(MessageType::external_files), schema,
               "the dataset keeps its elements in other files; a golden is one file: repack with h5repack");
  Parser parser{image, shape, static_cast<uint64_t>(element_bytes), {}};
  if (dataset.has(MessageType::filters))
    parser.layout.filters = parse_filters(dataset.data(MessageType::filters, "filters"));
  Cursor cursor(dataset.data(MessageType::layout, "storage layout"));
  const uint8_t version = cursor.u8();
  PARITY_CHECK(
      version == 3 || version == 4, schema,
      "the storage layout has version {}; write the file with the HDF5 library bound v110 (H5Pset_libver_bounds)",
      version);
  const auto kind = static_cast<LayoutClass>(cursor.u8());
  PARITY_CHECK(kind == LayoutClass::chunked || parser.layout.filters.empty(), schema,
               "the dataset has filters but no chunks; the file is damaged, copy it again");
  if (element_count(shape) == 0) return {shape, {}, {}, {}, 0};
  switch (kind) {
    case LayoutClass::compact:
      parser.compact(cursor);
      break;
    case LayoutClass::contiguous:
      parser.contiguous(cursor);
      break;
    case LayoutClass::chunked:
      parser.chunked(cursor, version);
      break;
    default:
      throw Error(ErrorCode::schema,
                  "the dataset is virtual (it refers to other files); a golden is one file: repack with h5repack");
  }
  parser.check_chunks();
  return std::move(parser.layout);
}

}  // namespace parity::golden::hdf5
