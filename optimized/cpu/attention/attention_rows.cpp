// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/attention/attention_rows.hpp"

#include <algorithm>

namespace parity::cpu {

template <class T>
WindowSight<T>::WindowSight(const AttentionOperands<T>& operands, int64_t b, int64_t g, int64_t first, int64_t rows)
    : operands_(operands),
      b_(b),
      rows_(rows),
      lanes_(attention_lanes()),
      vectors_((rows + lanes_ - 1) / lanes_),
      special_(operands.mask || operands.pairs || operands.self_visible) {
  const int64_t heads = operands.q.extent[1], group = heads / operands.k.extent[1];
  const int64_t lists = operands.lists ? operands.lists->extent[0] / operands.q.extent[0] : 1;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t vector = row / lanes_, token = (first + row) / group, head = g * group + (first + row) % group;
    const int64_t list = b * lists + head / (heads / lists);
    const auto lane = static_cast<uint16_t>(1U << (row % lanes_));
    present_[static_cast<size_t>(vector)] |= lane;
    if (!runs_.empty() && runs_.back().vector == vector && runs_.back().token == token && runs_.back().list == list) {
      runs_.back().lanes |= lane;
      continue;
    }
    const int64_t own = operands.positions ? std::min((*operands.positions)(b, token), operands.k.extent[2] - 1)
                                           : operands.query_slot + token;
    runs_.push_back({vector, lane, token, own, list, false});
    end_ = std::max(end_, own + 1);
  }
  if (operands.lists) mark_lists();
}

template <class T>
void WindowSight<T>::mark_lists() {
  const auto& lists = *operands_.lists;
  const int64_t blocks = (operands_.k.extent[2] + operands_.block_size - 1) / operands_.block_size;
  marks_.assign(static_cast<size_t>(blocks * kWindowVectors), 0);
  for (Run& run : runs_) {
    const int64_t own = run.own < 0 ? -1 : run.own / operands_.block_size;
    const auto mark = [&](int64_t block) -> uint16_t& {
      return marks_[static_cast<size_t>(block * kWindowVectors + run.vector)];
    };
    for (int64_t t = 0; t < lists.extent[2]; ++t) {
      const int64_t block = lists(run.list, run.token, t);
      if (block >= 0 && block < blocks) mark(block) |= run.lanes;
    }
    if (operands_.self_visible && own >= 0 && (mark(own) & run.lanes) == 0) {
      run.alone = true;
      mark(own) |= run.lanes;
    }
  }
}

template <class T>
bool WindowSight<T>::meets(int64_t block) const {
  if (!operands_.lists) return true;
  const uint16_t* marks = marks_.data() + block * kWindowVectors;
  return std::any_of(marks, marks + vectors_, [](uint16_t lanes) { return lanes != 0; });
}

/// Returns how many slots from `first` on the run sees, if no mask hides single slots.
template <class T>
int64_t WindowSight<T>::limit_of(const Run& run, int64_t block, int64_t first, int64_t count) const {
  if (operands_.lists && (marks_[static_cast<size_t>(block * kWindowVectors + run.vector)] & run.lanes) == 0) return 0;
  return std::clamp<int64_t>(run.own + 1 - first, 0, count);
}

template <class T>
bool WindowSight<T>::sees(const Run& run, int64_t slot) const {
  if (operands_.self_visible && slot == run.own) return true;
  if (run.alone && slot / operands_.block_size == run.own / operands_.block_size) return false;
  return (!operands_.mask || (*operands_.mask)(b_, slot) != 0) &&
         (!operands_.pairs || (*operands_.pairs)(b_, run.token, slot) != 0);
}

/// Marks the visible slots of a vector whose runs have different limits, if no mask hides single slots.
template <class T>
void WindowSight<T>::mark_slots(const Run* from, const Run* to, const int64_t* limits) {
  const auto v = static_cast<size_t>(from->vector);
  auto& bits = bits_[v];
  uint16_t all = 0;
  for (const Run* run = from; run != to; ++run) all |= limits[run - from] == limits_[v] ? run->lanes : 0;
  std::fill_n(bits.begin(), limits_[v], all);
  seen_[v] |= all;
  for (const Run* run = from; run != to; ++run, ++limits) {
    if (*limits == 0 || *limits == limits_[v]) continue;
    for (int64_t j = 0; j < *limits; ++j) bits[static_cast<size_t>(j)] |= run->lanes;
    seen_[v] |= run->lanes;
  }
  visible_[v] = bits.data();
}

template <class T>
void WindowSight<T>::look_at_slots(const Run* from, const Run* to, const int64_t* limits, int64_t first) {
  const auto v = static_cast<size_t>(from->vector);
  auto& bits = bits_[v];
  std::fill_n(bits.begin(), limits_[v], uint16_t{0});
  for (const Run* run = from; run != to; ++run, ++limits) {
    for (int64_t j = 0; j < *limits; ++j) {
      if (sees(*run, first + j)) bits[static_cast<size_t>(j)] |= run->lanes;
    }
  }
  uint16_t all = present_[v], any = 0;
  for (int64_t j = 0; j < limits_[v]; ++j) {
    all &= bits[static_cast<size_t>(j)];
    any |= bits[static_cast<size_t>(j)];
  }
  visible_[v] = all == present_[v] ? nullptr : bits.data();
  if (any == 0) limits_[v] = 0;
  seen_[v] |= any;
}

template <class T>
bool WindowSight<T>::look(int64_t block, int64_t first, int64_t count) {
  bool any = false;
  for (const Run *from = runs_.data(), *end = from + runs_.size(); from != end;) {
    const auto v = static_cast<size_t>(from->vector);
    std::array<int64_t, kMostLanes> limits;
    const Run* to = from;
    int64_t most = 0, fewest = count;
    for (size_t i = 0; to != end && to->vector == from->vector; ++to, ++i) {
      limits[i] = limit_of(*to, block, first, count);
      most = std::max(most, limits[i]);
      fewest = std::min(fewest, limits[i]);
    }
    limits_[v] = most;
    visible_[v] = nullptr;
    if (most > 0 && special_) {
      look_at_slots(from, to, limits.data(), first);
    } else if (fewest != most) {
      mark_slots(from, to, limits.data());
    } else if (most > 0) {
      seen_[v] = present_[v];
    }
    any = any || limits_[v] > 0;
    from = to;
  }
  return any;
}

template <class T>
std::vector<int64_t> WindowSight<T>::blind() const {
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < rows_; ++row) {
    if ((seen_[static_cast<size_t>(row / lanes_)] >> (row % lanes_) & 1U) == 0) rows.push_back(row);
  }
  return rows;
}

template class WindowSight<float>;
template class WindowSight<BFloat16>;

}  // namespace parity::cpu
