// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// wmma.load and wmma.store. Source: PTX ISA 9.0, sections 9.7.14.4.3 and 9.7.14.4.4.
#include "optimized/ptx/instructions/matrix.hpp"
#include "optimized/ptx/instructions/memory.hpp"
#include "optimized/ptx/instructions/wmma.hpp"

namespace parity::ptx {
namespace {

constexpr uint32_t kMostBytes = 64;  // of a lane's share of a matrix

/// What Code::lists holds, before the offsets of the registers. The stride is a register; Step::b is its offset.
struct WmmaMemoryWord {
  enum At : uint8_t { rows, columns, type, by_columns, registers, words };
};

WmmaMatrix matrix_of(const uint32_t* list) {
  return {static_cast<int>(list[WmmaMemoryWord::rows]), static_cast<int>(list[WmmaMemoryWord::columns]),
          static_cast<MatrixType>(list[WmmaMemoryWord::type])};
}

/// The addresses of the elements of every lane that begin with `element`.
void place(const Warp& warp, const Step& step, const uint32_t* list, int element, Lanes& lanes) {
  const WmmaMatrix matrix = matrix_of(list);
  const auto* strides = warp.at<uint32_t>(step.b);
  addresses(warp, step, lanes);
  for (uint32_t l = 0; l < kLanes; ++l) {
    const MatrixPosition at = matrix.position(static_cast<int>(l), element);
    const auto stride = static_cast<int64_t>(static_cast<int32_t>(strides[l]));
    const int64_t index =
        list[WmmaMemoryWord::by_columns] != 0 ? at.column * stride + at.row : at.row * stride + at.column;
    lanes.address[l] += static_cast<uint64_t>(index * matrix.bytes());
  }
}

/// A lane's registers are its elements from the first on; registers beyond these repeat them.
void load_wmma(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  const uint32_t* list = warp.frame->code->lists.data() + step.list;
  const WmmaMatrix matrix = matrix_of(list);
  const int run = matrix.run(list[WmmaMemoryWord::by_columns] != 0);
  const auto bytes = static_cast<uint32_t>(run * matrix.bytes());
  uint8_t held[kLanes][kMostBytes] = {};  // what may not be read is 0
  for (int element = 0; element < matrix.elements(); element += run) {
    Lanes lanes;
    place(warp, step, list, element, lanes);
    const Mask ok = reach_in(warp, step, lanes, bytes, Intent::read, step.space);
    for (uint32_t l = 0; l < kLanes; ++l) {
      if (has_lane(ok, l)) std::memcpy(held[l] + element * matrix.bytes(), lanes.host[l], bytes);
    }
  }
  const auto distinct = static_cast<uint32_t>(matrix.distinct());
  for (uint32_t number = 0; number < list[WmmaMemoryWord::registers]; ++number) {
    uint8_t* to = warp.at<uint8_t>(list[WmmaMemoryWord::words + number]);
    for (uint32_t l = 0; l < kLanes; ++l)
      std::memcpy(to + size_t{l} * step.width, held[l] + number % distinct * step.width, step.width);
  }
}

void store_wmma(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  const uint32_t* list = warp.frame->code->lists.data() + step.list;
  const WmmaMatrix matrix = matrix_of(list);
  const int run = matrix.run(list[WmmaMemoryWord::by_columns] != 0);
  const auto bytes = static_cast<uint32_t>(run * matrix.bytes());
  uint8_t held[kLanes][kMostBytes];
  for (uint32_t number = 0; number < list[WmmaMemoryWord::registers]; ++number) {
    const uint8_t* from = warp.at<uint8_t>(list[WmmaMemoryWord::words + number]);
    for (uint32_t l = 0; l < kLanes; ++l)
      std::memcpy(held[l] + number * step.width, from + size_t{l} * step.width, step.width);
  }
  for (int element = 0; element < matrix.elements(); element += run) {
    Lanes lanes;
    place(warp, step, list, element, lanes);
    const Mask ok = reach_in(warp, step, lanes, bytes, Intent::write, step.space);
    for (uint32_t l = 0; l < kLanes; ++l) {
      if (!has_lane(ok, l)) continue;
      const uint8_t* from = held[l] + element * matrix.bytes();
      if (warp.checks) observe_write(warp, step, lanes, l, bytes, std::memcmp(lanes.host[l], from, bytes) == 0);
      std::memcpy(lanes.host[l], from, bytes);
    }
  }
}

}  // namespace

Handler wmma_memory(Decoder& d, Step& step, bool stores) {
  const int which = d.take_one({"a", "b", "c", "d"});
  if (which < 0 || (which == 3) != stores) d.refuse("'.load.a', '.load.b', '.load.c' or '.store.d' is expected");
  const auto operand = static_cast<WmmaOperand>(which);
  take_aligned(d);
  const MmaShape shape = take_shape(d);
  const int layout = d.take_one({"row", "col"});
  if (layout < 0) d.refuse("'.row' or '.col' is expected");
  step.space = take_space(d);
  const WmmaMatrix matrix = with_line(d, [&] { return wmma_matrix(shape, operand, matrix_type_of(d.take_next())); });
  const Type register_type = matrix.type == MatrixType::f64 ? Type::b64 : Type::b32;
  std::vector<uint32_t> list{static_cast<uint32_t>(matrix.rows), static_cast<uint32_t>(matrix.columns),
                             static_cast<uint32_t>(matrix.type), static_cast<uint32_t>(layout), 0};
  if (d.operands() < 2 || d.operands() > 3) d.need(3);
  const Operand& values = d.operand(stores ? 1 : 0);
  d.address(step, d.operand(stores ? 0 : 1));
  const size_t given =
      stores ? matrix_sources(d, values, register_type, list) : matrix_destinations(d, values, register_type, list);
  const size_t wanted = wmma_registers(matrix, operand);
  if (given != wanted) d.refuse(fmt::format("{} registers are expected, there are {}", wanted, given));
  list[WmmaMemoryWord::registers] = static_cast<uint32_t>(given);
  const auto dense = static_cast<uint64_t>(layout == 0 ? matrix.columns : matrix.rows);
  step.b = d.operands() == 3 ? d.source(2, Type::s32) : d.constant(dense, 4);
  step.width = static_cast<uint8_t>(register_type == Type::b64 ? 8 : 4);
  step.list = d.list(list);
  return stores ? &store_wmma : &load_wmma;
}

}  // namespace parity::ptx
