// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/hdf5/dataset.hpp"

#include <cstring>

#include <zlib.h>

namespace parity::golden::hdf5 {
namespace {

/// Undoes the shuffle filter, which stores byte b of element i at b * count + i.
std::vector<std::byte> unshuffle(ByteSpan bytes, size_t width) {
  const size_t count = bytes.size() / width;
  std::vector<std::byte> result(bytes.begin(), bytes.end());  // bytes after the last whole element are not shuffled
  for (size_t byte = 0; byte < width; ++byte) {
    const std::byte* source = bytes.data() + byte * count;
    for (size_t i = 0; i < count; ++i) result[i * width + byte] = source[i];
  }
  return result;
}

std::vector<std::byte> inflate_to(ByteSpan bytes, uint64_t size) {
  std::vector<std::byte> result(size);
  uLongf length = size;
  const int status = uncompress(reinterpret_cast<Bytef*>(result.data()), &length,
                                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  PARITY_CHECK(status == Z_OK && length == size, schema,
               "a chunk cannot be inflated (zlib status {}): the file is damaged; copy it again", status);
  return result;
}

/// A box of a tensor, copied in runs that are contiguous in source and target.
struct Box {
  Shape from_extents, from_start;
  Shape to_extents, to_start;
  Shape extents;
};

void copy_box(const Box& box, const std::byte* from, std::byte* to, int64_t width, size_t axis = 0) {
  const size_t rank = box.extents.size();
  if (axis == rank) {
    std::memcpy(to, from, static_cast<size_t>(width));
    return;
  }
  int64_t from_row = width;
  int64_t to_row = width;
  bool whole = true;  // whether the inner axes are complete in source and target
  for (size_t inner = axis + 1; inner < rank; ++inner) {
    from_row *= box.from_extents[inner];
    to_row *= box.to_extents[inner];
    whole = whole && box.extents[inner] == box.from_extents[inner] && box.extents[inner] == box.to_extents[inner];
  }
  from += box.from_start[axis] * from_row;
  to += box.to_start[axis] * to_row;
  if (whole) {
    std::memcpy(to, from, static_cast<size_t>(box.extents[axis] * from_row));
    return;
  }
  for (int64_t i = 0; i < box.extents[axis]; ++i) copy_box(box, from + i * from_row, to + i * to_row, width, axis + 1);
}

/// Moves `place` to the next index of the box [first, last]; false after the last one.
bool advance(Shape& place, const Shape& first, const Shape& last) {
  for (size_t axis = place.size(); axis-- > 0;) {
    if (place[axis] < last[axis]) {
      ++place[axis];
      return true;
    }
    place[axis] = first[axis];
  }
  return false;
}

}  // namespace

Dataset::Dataset(const Image& image, const ObjectHeader& object) : image_(&image) {
  const auto shape = parse_shape(object.data(MessageType::dataspace, "shape"));
  PARITY_CHECK(shape.has_value(), schema, "the dataset has a null dataspace; write it with a shape");
  shape_ = *shape;
  type_ = parse_type(object.data(MessageType::datatype, "element type"));
  layout_ = parse_layout(image, object, shape_, type_.size);
}

void Dataset::read(const Shape& start, const Shape& extents, std::byte* target) {
  if (element_count(extents) == 0) return;
  const Shape grid = grid_of(shape_, layout_.chunk_shape);
  Shape first = start;
  Shape last = start;
  for (size_t axis = 0; axis < shape_.size(); ++axis) {
    PARITY_CHECK(start[axis] >= 0 && extents[axis] <= shape_[axis] - start[axis], internal,
                 "the requested elements are outside of the tensor");
    first[axis] = start[axis] / layout_.chunk_shape[axis];
    last[axis] = (start[axis] + extents[axis] - 1) / layout_.chunk_shape[axis];
  }
  Shape place = first;
  do {
    Box box{layout_.chunk_shape, start, extents, start, extents};
    size_t index = 0;
    for (size_t axis = 0; axis < shape_.size(); ++axis) {
      const int64_t origin = place[axis] * layout_.chunk_shape[axis];
      const int64_t begin = std::max(start[axis], origin);
      box.extents[axis] = std::min(start[axis] + extents[axis], origin + layout_.chunk_shape[axis]) - begin;
      box.from_start[axis] = begin - origin;
      box.to_start[axis] = begin - start[axis];
      index = index * static_cast<size_t>(grid[axis]) + static_cast<size_t>(place[axis]);
    }
    copy_box(box, chunk(index).data(), target, type_.size);
  } while (advance(place, first, last));
}

ByteSpan Dataset::chunk(size_t index) {
  if (layout_.chunks.empty()) return layout_.compact;
  const Chunk& wanted = layout_.chunks.at(index);
  if (layout_.filters.empty()) return image_->range(wanted.address, wanted.bytes);
  if (index == decoded_index_) return decoded_;
  return with_context(fmt::format("chunk {}", index), [&] {
    const ByteSpan bytes = decode(wanted);
    decoded_index_ = index;
    return bytes;
  });
}

/// Undoes the filters in the reverse order.
ByteSpan Dataset::decode(const Chunk& chunk) {
  uint64_t whole = static_cast<uint64_t>(type_.size);
  for (const int64_t extent : layout_.chunk_shape) whole *= static_cast<uint64_t>(extent);
  ByteSpan bytes = image_->range(chunk.address, chunk.bytes);
  for (size_t i = layout_.filters.size(); i-- > 0;) {
    if ((chunk.skipped >> i & 1U) != 0) continue;
    decoded_index_ = SIZE_MAX;
    decoded_ = layout_.filters[i] == FilterKind::deflate ? inflate_to(bytes, whole)
                                                         : unshuffle(bytes, static_cast<size_t>(type_.size));
    bytes = decoded_;
  }
  PARITY_CHECK(bytes.size() == whole, schema,
               "a chunk of the dataset has {} bytes, expected {}; the file is damaged, copy it again", bytes.size(),
               whole);
  if (bytes.data() != decoded_.data()) decoded_.assign(bytes.begin(), bytes.end());
  return decoded_;
}

std::vector<std::string> Dataset::texts() {
  PARITY_CHECK(type_.is_text(), schema, "holds numbers, not text");
  const int64_t count = element_count(shape_);
  std::vector<std::byte> elements(static_cast<size_t>(count * type_.size));
  read(Shape(shape_.size(), 0), shape_, elements.data());
  std::vector<std::string> result;
  GlobalHeap heap(*image_);
  uint64_t total = 0;
  for (int64_t i = 0; i < count; ++i) {
    const ByteSpan element =
        ByteSpan(elements).subspan(static_cast<size_t>(i * type_.size), static_cast<size_t>(type_.size));
    result.push_back(type_.kind == StoredType::Kind::text ? trim_text(element, type_.space_padded)
                                                          : heap.text(element));
    total += result.back().size();
    PARITY_CHECK(total <= elements.size() + image_->size(), schema,
                 "the texts of the dataset are longer than the file; copy the file again");
  }
  return result;
}

}  // namespace parity::golden::hdf5
