// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Location of a dataset's elements: one range of the file, or chunks of one shape, shuffled and deflated.
#pragma once

#include <vector>

#include "golden/hdf5/datatype.hpp"
#include "golden/hdf5/object_header.hpp"

namespace parity::golden::hdf5 {

enum class FilterKind : uint16_t { deflate = 1, shuffle = 2 };

struct Chunk {
  uint64_t address = kNowhere;  // kNowhere: the chunk was never written
  uint64_t bytes = 0;           // in the file
  uint32_t skipped = 0;         // bit i: filter i was not applied
};

struct Layout {
  Shape chunk_shape;                // the shape of the whole tensor if it is stored in one range
  std::vector<Chunk> chunks;        // in row-major order of the grid of chunks
  std::vector<FilterKind> filters;  // in the order in which the writer applied them
  ByteSpan compact;                 // elements in the header itself; then there are no chunks
  uint64_t stored_bytes = 0;
};

/// Reads the layout. Throws Error{schema} when elements are in other files, were never written, use other filters, or
/// cannot come from the stored bytes: they take no more memory than deflate can expand those bytes to.
[[nodiscard]] Layout parse_layout(const Image& image, const ObjectHeader& dataset, const Shape& shape,
                                  int64_t element_bytes);

/// Number of chunks along each axis.
[[nodiscard]] Shape grid_of(const Shape& shape, const Shape& chunk_shape);

/// Index of a dataset's chunks: the types of the newer layout message, and the older B-tree.
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
  Chunk single;  // if kind is `single`
  bool filtered = false;
  uint64_t chunk_bytes = 0;  // of one chunk, before filters
};

/// One chunk for every position of the grid. Chunks that the index lacks have address kNowhere.
[[nodiscard]] std::vector<Chunk> read_chunk_index(const Image& image, const ChunkIndexPlace& place, const Shape& grid,
                                                  const Shape& chunk_shape);

}  // namespace parity::golden::hdf5
