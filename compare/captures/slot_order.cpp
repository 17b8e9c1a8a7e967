// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/slot_order.hpp"

#include <algorithm>

namespace parity::compare {
namespace {

/// Returns the path of the expert ids that belong to a tap, or "" if the tap has no slots.
std::string ids_of(const golden::DatasetInfo& info) {
  const size_t moe = info.path.rfind("/moe/");
  const auto axes = split_axes(info.axes);
  const bool slots = axes.size() >= 2 && axes.size() == info.shape.size() && axes[0] == "N" && axes[1] == "T";
  return slots && moe != std::string::npos ? info.path.substr(0, moe) + "/moe/router/indices" : std::string{};
}

}  // namespace

SlotOrder::SlotOrder(const golden::DatasetInfo& info, const golden::ActivationFile& left,
                     const golden::ActivationFile& right) {
  const std::string ids = ids_of(info);
  if (ids.empty() || !left.contains(ids) || !right.contains(ids)) return;
  const Shape wanted(info.shape.begin(), info.shape.begin() + 2);
  for (const auto* file : {&left, &right}) {
    if (file->at(ids).shape != wanted || is_float(file->at(ids).dtype) || file->at(ids).text) return;
  }
  slots_ = wanted[1];
  left_ = widen(left.read(ids));
  right_ = widen(right.read(ids));
}

int64_t SlotOrder::right_slot(int64_t token, int64_t slot) const {
  const int64_t* a = left_.i64() + token * slots_;
  const int64_t* b = right_.i64() + token * slots_;
  if (!std::is_permutation(a, a + slots_, b)) return slot;
  const int64_t earlier = std::count(a, a + slot, a[slot]);  // equal ids are paired in order
  for (int64_t t = 0, seen = 0; t < slots_; ++t) {
    if (b[t] == a[slot] && seen++ == earlier) return t;
  }
  return slot;
}

}  // namespace parity::compare
