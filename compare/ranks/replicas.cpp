// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/ranks/replicas.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include "core/sharding/rank_names.hpp"
#include "core/tensor.hpp"

namespace parity::compare {
namespace {

/// The same part of the same tap, in one group of ranks.
struct Replicas {
  std::string tap;
  std::vector<std::string> copies;  // taps, in the order of ranks
};

bool same_ranges(const Ranges& a, const Ranges& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Range& x, const Range& y) { return x.first == y.first && x.count == y.count; });
}

bool same_part(const Part& a, const Part& b) {
  return a.tap == b.tap && a.box.extents == b.box.extents &&
         std::equal(a.box.ranges.begin(), a.box.ranges.end(), b.box.ranges.begin(), b.box.ranges.end(), same_ranges);
}

std::vector<Replicas> replicas_of(const Plan& plan, const Layout& layout, const Digests& digests) {
  std::map<std::pair<std::string, int64_t>, Replicas> groups;  // key: tap without rank, group
  std::set<std::pair<std::string, int64_t>> divided;
  for (const auto& [tap, digest] : digests) {
    const int64_t rank = rank_of_tap(tap);
    const TapInfo& info = plan.tap(tap);
    if (rank < 0 || info.producer < 0 || !info.part || info.part->partial) continue;
    const std::pair key{without_rank(tap), rank / (layout.group() * layout.cp)};
    Replicas& group = groups[key];
    group.tap = key.first;
    if (!group.copies.empty() && !same_part(*plan.tap(group.copies.front()).part, *info.part)) divided.insert(key);
    group.copies.push_back(tap);
  }
  std::vector<Replicas> result;
  for (auto& [key, group] : groups) {
    if (group.copies.size() > 1 && !divided.contains(key)) result.push_back(std::move(group));
  }
  return result;
}

/// The ranks of a group by what they hold, the largest class first.
std::vector<std::vector<std::string>> classes_of(const Replicas& group, const Digests& digests) {
  std::map<uint64_t, std::vector<std::string>> by_digest;
  for (const std::string& tap : group.copies) by_digest[digests.at(tap)].push_back(tap);
  std::vector<std::vector<std::string>> classes;
  for (auto& [digest, taps] : by_digest) classes.push_back(std::move(taps));
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return classes;
}

/// Whether the node of `tap` reads a tap on which ranks disagree.
bool inherits(const Plan& plan, const std::string& tap, const std::set<std::string>& odd) {
  const Node& node = plan.nodes[static_cast<size_t>(plan.tap(tap).producer)];
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const auto& input) {
    return std::any_of(input.second.begin(), input.second.end(),
                       [&](const Operand& operand) { return odd.contains(without_rank(operand.name)); });
  });
}

}  // namespace

uint64_t digest_of(const TensorView& values) {
  const Tensor flat = convert(values, values.dtype);
  const std::string_view bytes(reinterpret_cast<const char*>(flat.view().data), static_cast<size_t>(flat.bytes()));
  return std::hash<std::string_view>{}(bytes);
}

std::vector<Disagreement> disagreements(const Plan& plan, const Layout& layout, const Digests& digests) {
  std::vector<Disagreement> found;
  std::set<std::string> odd;  // without their ranks
  for (const Replicas& group : replicas_of(plan, layout, digests)) {
    const auto classes = classes_of(group, digests);
    if (classes.size() == 1) continue;
    odd.insert(group.tap);
    const bool majority = 2 * classes.front().size() > group.copies.size();
    Disagreement one{group.tap, {}, {}, static_cast<int>(plan.nodes.size())};
    for (size_t c = 0; c < classes.size(); ++c) {
      for (const std::string& tap : classes[c]) {
        const bool agrees = majority && c == 0;
        (agrees ? one.agreeing : one.odd).push_back(rank_of_tap(tap));
        if (!agrees) one.node = std::min(one.node, plan.tap(tap).producer);
      }
    }
    std::sort(one.odd.begin(), one.odd.end());
    found.push_back(std::move(one));
  }
  std::erase_if(found,
                [&](const Disagreement& one) { return inherits(plan, rank_prefix(one.odd.front()) + one.tap, odd); });
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  return found;
}

}  // namespace parity::compare
