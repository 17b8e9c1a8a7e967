// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/libhdf5_create.hpp"

#include <algorithm>

#include "golden/files/libhdf5_dtype.hpp"

namespace parity::golden::libhdf5 {
namespace {

constexpr int64_t kContiguousBytes = 4096;           // for less, compression saves less than a chunk index costs
constexpr int64_t kLargestChunk = int64_t{1} << 20;  // libhdf5 keeps chunks of up to 1 MiB in its cache

/// Chunks of whole rows of the first axes, so that reading some rows of the first axis reads few chunks.
std::vector<hsize_t> chunk_shape(const Shape& shape, int64_t element_bytes) {
  std::vector<hsize_t> chunk(shape.begin(), shape.end());
  int64_t bytes = element_count(shape) * element_bytes;
  for (hsize_t& extent : chunk) {
    if (bytes <= kLargestChunk) break;
    const int64_t row = bytes / static_cast<int64_t>(extent);
    extent = static_cast<hsize_t>(std::max<int64_t>(kLargestChunk / row, 1));
    bytes = row * static_cast<int64_t>(extent);
  }
  return chunk;
}

void write_attribute(hid_t object, const std::string& name, hid_t type, const void* data) {
  const Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, "cannot create a shape");
  const Handle attribute = checked(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                                   H5Aclose, "cannot create attribute " + name);
  check(H5Awrite(attribute.get(), type, data), "cannot write attribute " + name, ErrorCode::io);
}

}  // namespace

Handle storage_properties(const Shape& shape, DType dtype) {
  Handle properties = libhdf5::reproducible_properties(H5P_DATASET_CREATE);
  if (element_count(shape) * size_of(dtype) <= kContiguousBytes) return properties;
  const std::vector<hsize_t> chunk = chunk_shape(shape, size_of(dtype));
  check(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()), "cannot set the chunk shape");
  check(H5Pset_shuffle(properties.get()), "cannot set the shuffle filter");
  check(H5Pset_deflate(properties.get(), 1), "cannot set the deflate filter");
  return properties;
}

Handle space_of(const Shape& shape) {
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  return checked(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose,
                 "cannot create a shape");
}

void write_value(hid_t object, const std::string& name, const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const char* chars = text->c_str();
    write_attribute(object, name, libhdf5::text_type(0).get(), &chars);
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    write_attribute(object, name, H5T_STD_I64LE, number);
  } else {
    write_attribute(object, name, H5T_IEEE_F64LE, &std::get<double>(value));
  }
}

void write_fixed_text(hid_t object, const std::string& name, std::string text) {
  if (text.empty()) text.push_back('\0');  // HDF5 has no text type of 0 bytes
  write_attribute(object, name, libhdf5::text_type(text.size()).get(), text.data());
}

}  // namespace parity::golden::libhdf5
