// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/narrowed.hpp"

#include <algorithm>

#include "faults/explaining/suspects.hpp"

namespace parity::faults {
namespace {

/// Whether the edit has the same meaning without the fault's other edits.
bool stands_alone(const Edit& edit) {
  return std::holds_alternative<SetParam>(edit) || std::holds_alternative<SetRounding>(edit);
}

const Node* node_of(const Inquiry& inquiry, const Fault& fault, const compare::Record& first) {
  const Base& base = *inquiry.reading().base();
  const replay::Span* span = inquiry.reading().span_of(first.tap);
  if (span == nullptr) return nullptr;
  for (const int index : span->nodes) {
    const Node& node = base.plan.nodes[static_cast<size_t>(index)];
    if (node.component == fault.component) return &node;
  }
  return nullptr;
}

std::vector<Fault> taken_apart(const Inquiry& inquiry, const Fault& fault, const compare::Record& first) {
  const Node* node = node_of(inquiry, fault, first);
  const bool apart = node != nullptr && std::all_of(fault.edits.begin(), fault.edits.end(), stands_alone);
  if (!apart) return {fault};
  std::vector<Fault> faults;
  for (const Edit& edit : fault.edits) faults.push_back(suspect_of(*inquiry.reading().base(), *node, edit));
  return faults;
}

/// Whether `fewer` explains as many taps and as many bits of the first one as `all`.
bool as_good(const Verified& fewer, const Verified& all) {
  constexpr double kBits = 1e-3;  // share of the elements
  return fewer.explanation.explained >= all.explanation.explained &&
         fewer.explanation.everywhere == all.explanation.everywhere &&
         fewer.explanation.bit_equal + kBits >= all.explanation.bit_equal;
}

}  // namespace

Verified narrowed(const Inquiry& inquiry, Verified found, const compare::Record& first) {
  std::vector<Fault> faults;
  for (Fault fault : found.explanation.faults) {
    fault.at.clear();
    for (Fault& part : taken_apart(inquiry, fault, first)) faults.push_back(std::move(part));
  }
  if (faults.size() < 2) return found;
  auto best = inquiry.verified(faults, first);
  if (!best || !as_good(*best, found)) return found;
  for (size_t i = 0; i < faults.size() && faults.size() > 1;) {
    std::vector<Fault> fewer = faults;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    auto verified = inquiry.verified(fewer, first);
    if (verified && as_good(*verified, *best)) {
      best = std::move(verified);
      faults = std::move(fewer);
    } else {
      ++i;
    }
  }
  return std::move(*best);
}

Verified plainer(const Inquiry& inquiry, Verified found, const compare::Record& first) {
  const size_t edits = found.explanation.faults.size();
  for (size_t i = 0; edits > 1 && i < edits; ++i) {
    const Fault fitted = found.explanation.faults[i];
    const auto* set = fitted.edits.size() == 1 ? std::get_if<SetParam>(&fitted.edits.front()) : nullptr;
    if (set == nullptr || !std::holds_alternative<double>(set->value)) continue;
    for (const double number : {0.0, 1.0, -1.0}) {
      const Node* node = node_of(inquiry, fitted, first);
      if (node == nullptr) break;
      std::vector<Fault> faults = found.explanation.faults;
      faults[i] = suspect_of(*inquiry.reading().base(), *node, SetParam{set->name, number, false, {}});
      auto verified = inquiry.verified(faults, first);
      if (!verified || verified->explanation.explained < found.explanation.explained) continue;
      if (verified->explanation.bit_equal > found.explanation.bit_equal) found = std::move(*verified);
    }
  }
  return found;
}

}  // namespace parity::faults
