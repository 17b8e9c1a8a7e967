// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// ldmatrix, stmatrix, movmatrix. Source: PTX ISA 9.0, sections 9.7.14.5.15 to 9.7.14.5.17.
#include "optimized/ptx/matrix/load_matrix.hpp"

#include <bit>

#include "optimized/ptx/instructions/matrix.hpp"
#include "optimized/ptx/instructions/memory.hpp"

namespace parity::ptx {
namespace {

constexpr uint32_t kRowBytes = 16;
constexpr std::array<uint8_t, kRowBytes> kZeros{};

/// What a register holds of a row.
enum Layout : uint8_t { words, transposed_halves, loaded_bytes, stored_bytes };

/// visit(lane that gives the row, byte in the row, bytes, lane of the register, register, byte in the register)
template <Layout layout, class Visit>
void each_piece(uint32_t registers, const Visit& visit) {
  constexpr uint32_t kWidth = layout == words ? 4 : layout == transposed_halves ? 2 : 1;
  for (uint32_t number = 0; number < registers; ++number) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      for (uint32_t at = 0; at < 4; at += kWidth) {
        const auto l = static_cast<int>(lane), n = static_cast<int>(number), e = static_cast<int>(at / kWidth);
        const RowByte row = layout == words               ? row_byte_b16(false, l, n, 0)
                            : layout == transposed_halves ? row_byte_b16(true, l, n, e)
                            : layout == loaded_bytes      ? loaded_row_byte_b8(l, n, e)
                                                          : stored_row_byte_b8(l, n, e);
        visit(static_cast<uint32_t>(row.lane), static_cast<uint32_t>(row.byte),
              std::integral_constant<size_t, kWidth>{}, lane, number, at);
      }
    }
  }
}

/// Lanes whose rows may be accessed. Rows in other memory than shared are findings.
Mask rows(Warp& warp, const Step& step, Lanes& lanes, Intent intent) {
  const Mask all = warp.mask;
  warp.mask &= step.c == kLanes ? kAllLanes : (1U << step.c) - 1;
  Mask ok = reach(warp, step, lanes, kRowBytes, intent);
  if (const Mask elsewhere = ok & ~lanes.shared; elsewhere != 0) {
    warp.find(Finding::Kind::out_of_bounds, step, static_cast<uint32_t>(std::countr_zero(elsewhere)),
              "the row of a matrix is not in shared memory");
    ok &= lanes.shared;
  }
  warp.mask = all;
  return ok;
}

/// Rows that may not be read are zeros.
template <Layout layout>
void load(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  Lanes lanes;
  const Mask ok = rows(warp, step, lanes, Intent::read);
  const uint32_t* to = warp.frame->code->lists.data() + step.list;
  uint32_t values[4][kLanes] = {};
  std::array<const uint8_t*, kLanes> from;
  for (uint32_t l = 0; l < kLanes; ++l) from[l] = has_lane(ok, l) ? lanes.host[l] : kZeros.data();
  each_piece<layout>(step.count, [&](uint32_t row, uint32_t byte, auto bytes, uint32_t l, uint32_t n, uint32_t at) {
    std::memcpy(reinterpret_cast<uint8_t*>(&values[n][l]) + at, from[row] + byte, bytes);
  });
  for (uint32_t n = 0; n < step.count; ++n) std::memcpy(warp.at<uint32_t>(to[n]), values[n], sizeof values[n]);
}

template <Layout layout>
void store(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  Lanes lanes;
  const Mask ok = rows(warp, step, lanes, Intent::write);
  const uint32_t* from = warp.frame->code->lists.data() + step.list;
  uint8_t made[kLanes][kRowBytes];
  each_piece<layout>(step.count, [&](uint32_t row, uint32_t byte, auto bytes, uint32_t l, uint32_t n, uint32_t at) {
    std::memcpy(made[row] + byte, reinterpret_cast<const uint8_t*>(warp.at<uint32_t>(from[n]) + l) + at, bytes);
  });
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(ok, l)) continue;
    // As with st: equal rows at one address, which Triton stores where lanes hold copies, are no race.
    if (warp.checks)
      observe_write(warp, step, lanes, l, kRowBytes, std::memcmp(lanes.host[l], made[l], kRowBytes) == 0);
    std::memcpy(lanes.host[l], made[l], kRowBytes);
  }
}

void move(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  const uint32_t* from = warp.at<uint32_t>(step.a);
  uint32_t values[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    const LaneHalf low = moved_half(static_cast<int>(l), 0), high = moved_half(static_cast<int>(l), 1);
    values[l] = (from[low.lane] >> (16 * low.element) & 0xFFFFU) | from[high.lane] >> (16 * high.element) << 16U;
  }
  std::memcpy(warp.at<uint32_t>(step.d), values, sizeof values);
}

Handler loads_and_stores(Decoder& d, Step& step) {
  const bool stores = d.is("stmatrix");
  take_aligned(d);
  const bool transposed = d.take("trans");
  const int count = d.take_one({"x1", "x2", "x4"});
  const uint32_t matrices = count < 0 ? 0 : 1U << count;
  step.space = take_space(d);
  step.width = 4;
  uint32_t registers = matrices;
  if (d.take("m8n8") && d.take("b16")) {
    step.mode = transposed ? transposed_halves : words;
    step.c = 8 * matrices;
  } else if (!stores && d.take("m16n16") && d.take("b8") && transposed && matrices < 4) {
    step.mode = loaded_bytes;
    step.c = 16 * matrices;
    registers = 2 * matrices;
  } else if (stores && d.take("m16n8") && d.take("b8") && transposed) {
    step.mode = stored_bytes;
    step.c = 8 * matrices;
  } else {
    d.refuse("a shape with its type, .m8n8.b16, .m16n16.trans.b8 or .m16n8.trans.b8, is expected");
  }
  if (matrices == 0 || (step.space != Space::shared && step.space != Space::generic))
    d.refuse("'.x1', '.x2' or '.x4' of shared memory is expected");
  d.need(2);
  std::vector<uint32_t> offsets;
  const Operand& values = d.operand(stores ? 1 : 0);
  d.address(step, d.operand(stores ? 0 : 1));
  const size_t given =
      stores ? matrix_sources(d, values, Type::b32, offsets) : matrix_destinations(d, values, Type::b32, offsets);
  if (given != registers) d.refuse(fmt::format("{} registers are expected, there are {}", registers, given));
  step.count = static_cast<uint8_t>(registers);
  step.list = d.list(offsets);
  switch (step.mode) {
    case words:
      return stores ? &store<words> : &load<words>;
    case transposed_halves:
      return stores ? &store<transposed_halves> : &load<transposed_halves>;
    default:
      return stores ? &store<stored_bytes> : &load<loaded_bytes>;
  }
}

}  // namespace

Handler load_matrix_group(Decoder& d, Step& step) {
  if (d.is("ldmatrix") || d.is("stmatrix")) return loads_and_stores(d, step);
  if (!d.is("movmatrix")) return nullptr;
  take_aligned(d);
  if (!d.take("m8n8") || !d.take("trans") || !d.take("b16")) d.refuse("'.m8n8.trans.b16' is expected");
  d.need(2);
  step.d = d.destination(0, Type::b32);
  step.a = d.source(1, Type::b32);
  return &move;
}

}  // namespace parity::ptx
