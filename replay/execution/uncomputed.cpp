// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/uncomputed.hpp"

#include <algorithm>

namespace parity::replay {
namespace {

/// The real slots of a call: [B,K], with the mask's K. Empty if the call has no mask: then all slots are real.
struct Mask {
  Tensor values;

  [[nodiscard]] bool hides(int64_t sequence, int64_t slot) const {
    const int64_t slots = values.shape().back();
    return slot < slots && values.i64()[sequence * slots + slot] == 0;
  }
};

/// Returns the mask of a call. Edits of a cache have none: there the next call's mask shows which slots are padding.
const golden::DatasetInfo* mask_dataset(const golden::ActivationFile& golden, const std::string& call) {
  for (const golden::DatasetInfo& info : golden.datasets()) {
    if (info.path.ends_with("/tokens/attention_mask") && golden::call_of(info.path) >= call) return &info;
  }
  return nullptr;
}

Mask mask_of(const golden::ActivationFile& golden, const std::string& call) {
  const golden::DatasetInfo* found = mask_dataset(golden, call);
  if (found == nullptr) return {};
  PARITY_CHECK(found->shape.size() == 2, schema,
               "not_computed_padding: {} has shape {}, so its padding cannot be identified; list rows or taps instead",
               found->path, to_string(found->shape));
  return {widen(golden.read(found->path))};
}

/// The position of an element: sequence, query token and key slot. -1 for axes that the tap lacks.
struct Position {
  int64_t sequence = -1, token = -1, slot = -1;
};

Position place_of(int64_t flat, const std::vector<std::string>& axes, const Shape& shape, int64_t tokens) {
  Position place;
  for (size_t axis = axes.size(); axis-- > 0;) {
    const int64_t at = flat % shape[axis];
    flat /= shape[axis];
    if (axes[axis] == "B") place.sequence = at;
    if (axes[axis] == "S") place.token = at;
    if (axes[axis] == "K") place.slot = at;
    if (axes[axis] == "N" && tokens > 0) place.sequence = at / tokens, place.token = at % tokens;
  }
  return place;
}

bool along(const std::vector<std::string>& axes, const char* letters) {
  return std::any_of(axes.begin(), axes.end(), [&](const std::string& axis) {
    return axis.size() == 1 && std::string_view(letters).find(axis.front()) != std::string_view::npos;
  });
}

int64_t size_or(const AxisSizes& sizes, char letter, int64_t otherwise) {
  const auto found = sizes.find(letter);
  return found == sizes.end() ? otherwise : found->second;
}

}  // namespace

std::vector<bool> uncomputed_elements(const Plan& plan, const std::string& tap, const golden::Declaration& declared,
                                      const golden::ActivationFile& golden) {
  const TapInfo& info = plan.tap(tap);
  const std::string call = golden::call_of(tap);
  const auto axes = split_axes(info.axes);
  if ((declared.rows.empty() && !declared.padding) || info.producer < 0 || call.empty()) return {};
  if (!along(axes, "BN")) return {};
  const AxisSizes sizes = plan.sizes_of(plan.nodes[static_cast<size_t>(info.producer)]);
  const int64_t tokens = size_or(sizes, 'S', 0);
  const Mask mask = declared.padding && along(axes, "SNK") ? mask_of(golden, call) : Mask{};
  const int64_t first = mask.values.empty() ? 0 : mask.values.shape().back() - tokens;  // slot of the first query
  std::vector<bool> result(static_cast<size_t>(element_count(info.shape)), false);
  bool any = false;
  for (size_t i = 0; i < result.size(); ++i) {
    const Position at = place_of(static_cast<int64_t>(i), axes, info.shape, tokens);
    bool absent = std::find(declared.rows.begin(), declared.rows.end(), at.sequence) != declared.rows.end();
    if (!mask.values.empty() && at.sequence >= 0) {
      absent = absent || (at.token >= 0 && mask.hides(at.sequence, first + at.token));
      absent = absent || (at.slot >= 0 && mask.hides(at.sequence, at.slot));
    }
    result[i] = absent;
    any = any || absent;
  }
  return any ? result : std::vector<bool>();
}

}  // namespace parity::replay
