// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/tensor_box.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "optimized/ptx/number/types.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kSharedBytes = uint64_t{1} << 18;  // no GPU has as many for a block

uint32_t visited(const TensorMap& map, size_t i) {
  return i == 0 ? map.box[0] : (map.box[i] + map.step[i] - 1) / map.step[i];
}

void check_box(const TensorMap& map, std::span<const int32_t> coordinates, uint32_t shared) {
  PARITY_CHECK(coordinates.size() == static_cast<size_t>(map.rank), usage,
               "{} coordinates for a tensor of {} dimensions; give one for each", coordinates.size(), map.rank);
  PARITY_CHECK(shared % 128 == 0, usage, "the box lies at shared address {:#x}; it must be a multiple of 128", shared);
  PARITY_CHECK(box_bytes(map) <= kSharedBytes, usage,
               "the box has {} bytes, more than any shared memory; make boxDim smaller", box_bytes(map));
  const uint32_t span = span_of(map.swizzle);
  if (span == 0) return;
  const uint32_t pattern = 128 * (span / atom_of(map.swizzle));
  PARITY_CHECK(shared % pattern == 0, unsupported,
               "the box lies at shared address {:#x}, within a pattern of its swizzle; align it to {}", shared,
               pattern);
  const uint32_t inner = map.box[0] * element_bytes(map.element);
  PARITY_CHECK(inner == span, unsupported,
               "the box's inner dimension has {} bytes in a swizzle of {}; make it {} bytes", inner, span, span);
}

/// One row of a box, cut where the tensor ends and where the swizzle takes bytes apart.
void add_row(const TensorMap& map, bool inside, uint64_t row_address, int64_t first, uint32_t row_shared,
             std::vector<BoxRun>& runs) {
  const auto size = static_cast<int64_t>(element_bytes(map.element));
  const auto count = static_cast<int64_t>(map.box[0]);
  const auto extent = static_cast<int64_t>(map.size[0]);
  const int64_t begin = inside ? std::clamp<int64_t>(-first, 0, count) * size : 0;
  const int64_t end = inside ? std::clamp<int64_t>(extent - first, 0, count) * size : 0;
  const int64_t total = count * size;
  const int64_t piece = map.swizzle == Swizzle::none ? total : static_cast<int64_t>(atom_of(map.swizzle));
  for (int64_t at = 0; at < total;) {
    int64_t next = std::min(at - at % piece + piece, total);
    const bool held = at >= begin && at < end;
    if (at < begin) next = std::min(next, begin < end ? begin : total);
    if (held) next = std::min(next, end);
    const uint64_t global = held ? row_address + static_cast<uint64_t>(first * size + at) : 0;
    const uint32_t shared = swizzled(map.swizzle, row_shared + static_cast<uint32_t>(at));
    runs.push_back({held, global, shared, static_cast<uint32_t>(next - at)});
    at = next;
  }
}

}  // namespace

uint64_t box_bytes(const TensorMap& map) {
  uint64_t bytes = element_bytes(map.element);
  for (size_t i = 0; i < static_cast<size_t>(map.rank); ++i) bytes *= visited(map, i);
  return bytes;
}

std::vector<BoxRun> box_runs(const TensorMap& map, std::span<const int32_t> coordinates, uint32_t shared) {
  check_box(map, coordinates, shared);
  const auto rank = static_cast<size_t>(map.rank);
  const uint32_t row_bytes = map.box[0] * element_bytes(map.element);
  const auto rows = static_cast<uint32_t>(box_bytes(map) / row_bytes);
  std::vector<BoxRun> runs;
  runs.reserve(rows);
  for (uint32_t row = 0; row < rows; ++row) {
    uint64_t address = map.address;
    bool inside = true;
    uint32_t rest = row;
    for (size_t i = 1; i < rank; ++i) {
      const int64_t at = int64_t{coordinates[i]} + int64_t{rest % visited(map, i)} * map.step[i];
      inside = inside && at >= 0 && at < static_cast<int64_t>(map.size[i]);
      address += static_cast<uint64_t>(at) * map.stride[i - 1];
      rest /= visited(map, i);
    }
    add_row(map, inside, address, coordinates[0], shared + row * row_bytes, runs);
  }
  return runs;
}

uint64_t fill_code(const TensorMap& map) {
  if (!map.fill_with_nan) return 0;
  switch (map.element) {
    case TensorElement::f16:
      return encoding_of(NumberType::f16).nan;
    case TensorElement::bf16:
      return encoding_of(NumberType::bf16).nan;
    case TensorElement::f64:
      return encoding_of(NumberType::f64).nan;
    default:
      return encoding_of(NumberType::f32).nan;
  }
}

}  // namespace parity::ptx
