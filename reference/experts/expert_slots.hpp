// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The slots of routed experts: the tokens of each expert, in tiles that bound the memory.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/component.hpp"
#include "reference/vision/grid.hpp"

namespace parity::reference {

struct Slot {
  int64_t token;
  int64_t slot;
};

/// The (token, slot) pairs that are routed to expert e, by ascending token.
inline std::vector<Slot> slots_of(const Span<int64_t, 2>& indices, int64_t e) {
  std::vector<Slot> slots;
  for (int64_t n = 0; n < indices.extent[0]; ++n) {
    for (int64_t t = 0; t < indices.extent[1]; ++t) {
      if (indices(n, t) == e) slots.push_back({n, t});
    }
  }
  return slots;
}

constexpr size_t kSlotTile = 256;  // bounds the memory in addition to operands and outputs

inline std::vector<std::vector<Slot>> tiles_of(const std::vector<Slot>& slots) {
  std::vector<std::vector<Slot>> tiles;
  for (size_t first = 0; first < slots.size(); first += kSlotTile) {
    const size_t last = std::min(first + kSlotTile, slots.size());
    tiles.emplace_back(slots.begin() + static_cast<int64_t>(first), slots.begin() + static_cast<int64_t>(last));
  }
  return tiles;
}

/// The rows of x for the slots' tokens.
template <class Num>
Grid<Num> rows_of(const ConstMatrix& x, const std::vector<Slot>& slots) {
  Grid<Num> rows(static_cast<int64_t>(slots.size()), x.cols());
  for (size_t i = 0; i < slots.size(); ++i) rows.value.row(static_cast<int64_t>(i)) = x.row(slots[i].token);
  return rows;
}

/// The optional outputs of component C that have one row per slot.
template <class Num, class C>
struct SlotSinks {
  std::optional<Sink<Num, 3>> activation;                                                                   // (N, T, F)
  std::optional<Sink<Num, 3>> weighted;                                                                     // (N, T, H)
  int64_t inner = 0, outer = 0;            // F, H

  SlotSinks(const typename C::Outputs& out, const Context& context) {
    if (!out.slot_activation.empty()) {
      activation.emplace(out.slot_activation, context);
      inner = out.slot_activation.shape.back();
    }
    if (!out.slot_weighted.empty()) {
      weighted.emplace(out.slot_weighted, context);
      outer = out.slot_weighted.shape.back();
    }
  }

  void set(const Grid<Num>& active, const Grid<Num>& result, const std::vector<Slot>& slots) const {
    for (size_t i = 0; i < slots.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      const auto [n, t] = slots[i];
      for (int64_t f = 0; f < inner; ++f) activation->set(active.at(row, f), n, t, f);
      for (int64_t h = 0; h < outer; ++h) weighted->set(result.at(row, h), n, t, h);
    }
  }
  void clear(const std::vector<Slot>& slots) const {
    for (const auto& [n, t] : slots) {
      for (int64_t f = 0; f < inner; ++f) activation->set(Num(0.0), n, t, f);
      for (int64_t h = 0; h < outer; ++h) weighted->set(Num(0.0), n, t, h);
    }
  }
};

}  // namespace parity::reference
