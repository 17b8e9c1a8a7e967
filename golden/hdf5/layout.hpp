// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where the elements of a dataset lie: one range of the file, or chunks of one shape, shuffled and deflated.
#pragma once

#include <vector>

#include "golden/hdf5/datatype.hpp"
#include "golden/hdf5/object_header.hpp"

namespace parity::golden::hdf5 {

enum class FilterKind : uint16_t { deflate = 1, shuffle = 2 };

struct Chunk {
  uint64_t address = kNowhere;  // kNowhere: never written
  uint64_t bytes = 0;           // in the file
  uint32_t skipped = 0;         // bit i: filter i was not applied
};

struct Layout {
  Shape chunk_shape;                // of the whole tensor when it is stored in one range
  std::vector<Chunk> chunks;        // in row-major order of the grid
  std::vector<FilterKind> filters;  // in the order of writing
  ByteSpan compact;                 // elements inside the header itself: then there are no chunks
  uint64_t stored_bytes = 0;
};

/// Error{schema} when elements lie in other files, were never written, pass through other filters, or cannot fit in what
/// the file has: no more memory is needed for them than deflate can expand the stored bytes to.
[[nodiscard]] Layout parse_layout(const Image& image, const ObjectHeader& dataset, const Shape& shape,
                                  int64_t element_bytes);

/// Chunks along each axis.
[[nodiscard]] Shape grid_of(const Shape& shape, const Shape& chunk_shape);

/// How the chunks of a dataset are listed: types of the newer layout message, and the older B-tree.
enum class ChunkIndex : uint8_t {
  single = 1,
  implicit = 2,
  fixed_array = 3,
  extensible_array = 4,
  btree_v2 = 5,
  btree_v1 = 255
};

struct ChunkIndexPlace {
  ChunkIndex kind = ChunkIndex::btree_v1;
  uint64_t address = kNowhere;
  Chunk single;  // kind == single
  bool filtered = false;
  uint64_t chunk_bytes = 0;  // before filters
};

/// One chunk for every place of the grid; those that the index lacks are at kNowhere.
[[nodiscard]] std::vector<Chunk> read_chunk_index(const Image& image, const ChunkIndexPlace& place, const Shape& grid,
                                                  const Shape& chunk_shape);

}  // namespace parity::golden::hdf5
