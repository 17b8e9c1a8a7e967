// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/token_edits.hpp"

#include <algorithm>

#include "core/sharding/node_shares.hpp"
#include "core/sharding/rank_names.hpp"
#include "faults/edits/edit.hpp"

namespace parity::faults {
namespace {

constexpr const char* kRun = "_run_";  // a tap per chunk: x_run_0, x_run_1

/// The chunks of tokens that a rank holds, and which of them a node computes.
struct Chunks {
  Ranges all;
  size_t own = 0;
  int64_t tokens = 0;  // of all ranks
};

void add_chunk(const TapInfo& info, Chunks& chunks) {
  const int axis = info.part ? find_unit(info.part->axes, kTokens) : -1;
  if (axis < 0) return;
  const auto at = static_cast<size_t>(axis);
  chunks.tokens = info.part->box.extents.at(at);
  const Ranges& own = info.part->box.ranges.at(at);
  if (count_of(own) < chunks.tokens) chunks.all.insert(chunks.all.end(), own.begin(), own.end());
}

Chunks chunks_of(const Plan& plan, const Node& node) {
  const std::string& tap = node.outputs.begin()->second.name;
  const std::string base = tap.substr(0, tap.rfind(kRun));
  Chunks chunks;
  if (base == tap) {
    add_chunk(plan.tap(tap), chunks);
    PARITY_CHECK(chunks.all.size() == 1, usage, "tap {} does not contain exactly one chunk of the tokens", tap);
    return chunks;
  }
  for (size_t run = 0; plan.taps.contains(run_name(base, run)); ++run) {
    if (run_name(base, run) == tap) chunks.own = chunks.all.size();
    add_chunk(plan.tap(run_name(base, run)), chunks);
  }
  PARITY_CHECK(chunks.own < chunks.all.size(), usage, "tap {} contains no chunk of the tokens", tap);
  return chunks;
}

int64_t first_token(const std::string& how, const Chunks& chunks) {
  const Range& own = chunks.all[chunks.own];
  int64_t before = 0;
  for (size_t run = 0; run < chunks.own; ++run) before += chunks.all[run].count;
  if (how == "local") return before;
  if (how == "contiguous") return chunks.all.front().first + before;
  if (how == "exchanged") return chunks.all[chunks.all.size() - 1 - chunks.own].first;
  PARITY_CHECK(how == "next", usage, "'{}' is not a way to number tokens; use local, contiguous, exchanged or next",
               how);
  return own.end() + own.count <= chunks.tokens ? own.end() : own.first - own.count;
}

}  // namespace

void make_slot_edit(const RankEdit& edit, const Plan& clean, Node& node) {
  PARITY_CHECK(registry().component(node.component).defaults.contains(edit.what), usage,
               "component {} has no parameter '{}' for a slot", node.component, edit.what);
  const auto slot = node.params.find(edit.what);
  if (slot == node.params.end()) return;  // it joins chunks, and begins at none
  const Chunks chunks = chunks_of(clean, node);
  const Range& own = chunks.all[chunks.own];
  const int64_t first = std::clamp<int64_t>(first_token(edit.value, chunks), 0, chunks.tokens - own.count);
  std::get<int64_t>(slot->second) += first - own.first;  // slots of earlier calls come before
}

void make_order_edit(const RankEdit& edit, Node& node) {
  PARITY_CHECK(node.inputs.contains(edit.what), usage, "{} reads no '{}'", node.component, edit.what);
  std::vector<Operand>& parts = node.inputs.at(edit.what);
  if (edit.value == "reversed") return std::reverse(parts.begin(), parts.end());
  PARITY_CHECK(edit.value == "ranks", usage, "'{}' is not an order of parts; use reversed or ranks", edit.value);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Operand& a, const Operand& b) { return rank_of_tap(a.name) < rank_of_tap(b.name); });
}

}  // namespace parity::faults
