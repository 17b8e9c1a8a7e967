// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/safetensors_header.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <vector>

#include "golden/files/one_line.hpp"
#include "golden/files/strict_json.hpp"

namespace parity::golden {
namespace {

using nlohmann::json;

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kLongestHeader = 100'000'000;  // the limit of the published format
constexpr size_t kMostAxes = 16;

int64_t whole_number(const json& value, const char* what) {
  PARITY_CHECK(value.is_number_unsigned() && value.get<uint64_t>() <= (uint64_t{1} << 62), schema,
               "{} is {}; expected a number of bytes or elements", what, one_line(value.dump(), 40));
  return value.get<int64_t>();
}

DType dtype_of(const json& value) {
  PARITY_CHECK(value.is_string(), schema, "dtype is not a string");
  const auto name = value.get<std::string>();
  const bool upper = std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; });
  const auto dtype = parse_dtype(name);
  PARITY_CHECK(upper && dtype, schema,
               "dtype '{}' is not supported; use F64 F32 F16 BF16 F8_E4M3 F8_E5M2 I64 I32 U8 or BOOL",
               one_line(name, 40));
  return *dtype;
}

StoredTensor parse_entry(const json& entry, int64_t data_offset, int64_t data_bytes) {
  const bool whole =
      entry.is_object() && entry.contains("dtype") && entry.contains("shape") && entry.contains("data_offsets");
  PARITY_CHECK(whole, schema, "the entry lacks dtype, shape or data_offsets; the file is damaged, copy it again");
  StoredTensor tensor;
  tensor.dtype = dtype_of(entry["dtype"]);
  const json& shape = entry["shape"];
  PARITY_CHECK(shape.is_array() && shape.size() <= kMostAxes, schema, "shape is not a list of at most {} extents",
               kMostAxes);
  for (const json& extent : shape) tensor.shape.push_back(whole_number(extent, "an extent"));
  const json& offsets = entry["data_offsets"];
  PARITY_CHECK(offsets.is_array() && offsets.size() == 2, schema, "data_offsets is not [begin, end]");
  const int64_t begin = whole_number(offsets[0], "begin");
  const int64_t end = whole_number(offsets[1], "end");
  PARITY_CHECK(begin <= end && end <= data_bytes, schema,
               "bytes [{}, {}) are outside of the {} data bytes; the file is damaged, copy it again", begin, end,
               data_bytes);
  int64_t needed = 0;
  const bool absurd = __builtin_mul_overflow(element_count(tensor.shape), size_of(tensor.dtype), &needed);
  PARITY_CHECK(!absurd && needed == end - begin, schema,
               "{} of shape {} does not fit into its {} stored bytes exactly; the file is damaged, copy it again",
               to_string(tensor.dtype), to_string(tensor.shape), end - begin);
  tensor.offset = data_offset + begin;
  tensor.bytes = end - begin;
  return tensor;
}

void check_overlap(const std::map<std::string, StoredTensor>& tensors) {
  std::vector<std::pair<const std::string*, const StoredTensor*>> order;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.bytes > 0) order.emplace_back(&name, &tensor);
  }
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.second->offset < b.second->offset; });
  for (size_t i = 1; i < order.size(); ++i) {
    PARITY_CHECK(order[i - 1].second->offset + order[i - 1].second->bytes <= order[i].second->offset, schema,
                 "tensors {} and {} share bytes; the file is damaged, copy it again", *order[i - 1].first,
                 *order[i].first);
  }
}

}  // namespace

std::map<std::string, StoredTensor> parse_safetensors_header(std::span<const std::byte> file) {
  PARITY_CHECK(file.size() >= kLengthBytes, schema, "{} bytes are too few for a safetensors file", file.size());
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  PARITY_CHECK(length > 0, schema, "the header has 0 bytes, so this is not a safetensors file");
  PARITY_CHECK(length <= kLongestHeader, schema,
               "the header claims {} bytes, more than {}, so this is not a safetensors file", length, kLongestHeader);
  PARITY_CHECK(length <= file.size() - kLengthBytes, schema,
               "the header claims {} bytes, but the file has {}; copy it again", length, file.size());
  const auto* text = reinterpret_cast<const char*>(file.data()) + kLengthBytes;
  const json header = with_context("header", [&] { return parse_json({text, length}); });
  PARITY_CHECK(header.is_object(), schema, "the header is not a JSON object");

  const auto data_offset = static_cast<int64_t>(kLengthBytes + length);
  std::map<std::string, StoredTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::string shown = one_line(name);
    PARITY_CHECK(shown == name && !name.empty(), schema,
                 "the tensor name '{}' is empty, too long or contains control characters", shown);
    tensors[name] = with_context("tensor " + name, [&, &stored = entry] {
      return parse_entry(stored, data_offset, static_cast<int64_t>(file.size()) - data_offset);
    });
  }
  check_overlap(tensors);
  return tensors;
}

}  // namespace parity::golden
