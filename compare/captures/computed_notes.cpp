// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/computed_notes.hpp"

#include <map>
#include <set>

#include <fmt/ranges.h>

namespace parity::compare {
namespace {

/// Returns a prefix with its call and layer replaced by "*", since all of them repeat the same nodes.
std::string folded(const std::string& prefix) {
  std::string result;
  for (const char c : prefix) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !result.empty() && result.back() == '*') continue;
    result += digit && !result.empty() && result.back() == '/' ? '*' : c;
  }
  return result;
}

/// Adds one line per fusion that names the nodes that ran fused.
void note_fused(const std::vector<replay::FusedChain>& chains, const std::string& name,
                std::vector<std::string>& notes) {
  struct Ran {
    size_t nodes = 0, calls = 0;
    std::map<std::string, size_t> ends;
  };
  std::map<std::string, Ran> ran;
  for (const replay::FusedChain& chain : chains) {
    Ran& fusion = ran[chain.fusion];
    fusion.nodes += chain.nodes.size();
    ++fusion.calls;
    ++fusion.ends[folded(chain.nodes.back())];
  }
  for (const auto& [fusion, all] : ran) {
    std::vector<std::string> ends;
    for (const auto& [end, count] : all.ends) ends.push_back(fmt::format("{} ({})", end, count));
    notes.push_back(fmt::format("fused: {} nodes ran as {} calls of the fused kernel {} {}, which end at {}", all.nodes,
                                all.calls, name, fusion, fmt::join(ends, ", ")));
  }
}

}  // namespace

void note_computation(const replay::Computation& computation, const Plan& plan, GoldenReport& report) {
  if (!computation.lacking.empty()) return;  // every record states that already
  note_fused(computation.chains, computation.name, report.notes);
  std::set<std::string> lacking;
  for (const Node& node : plan.nodes) {
    if (!computation.computes(node)) lacking.insert(node.component);
  }
  if (!lacking.empty())
    report.notes.push_back(
        fmt::format("{} has no kernel of {}; where other nodes read their outputs, the reference computed them",
                    computation.name, fmt::join(lacking, ", ")));
}

}  // namespace parity::compare
