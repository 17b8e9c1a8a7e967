// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/spans/span.hpp"

#include <algorithm>
#include <set>

namespace parity::replay {
namespace {

struct Closure {
  const std::vector<std::string>& judged;
  std::set<int> nodes;
  std::set<std::string> inputs;
};

/// Whether the span can begin at the tap: it is available, and not cut from a cache that the span judges.
bool is_input(const TapSource& inputs, const std::string& tap, int producer, const Closure& closure) {
  if (!inputs.available(tap)) return false;
  const auto cut = [&](const std::string& judged) { return inputs.is_cut_from(tap, judged); };
  return producer < 0 || std::none_of(closure.judged.begin(), closure.judged.end(), cut);
}

/// Adds `node`, and recursively the producer of each input that is not available.
void close(const Plan& plan, const Sources& sources, int index, Closure& closure) {
  if (!closure.nodes.insert(index).second) return;
  const Node& node = plan.nodes[static_cast<size_t>(index)];
  for (const auto& [field, operands] : node.inputs) {
    for (const Operand& operand : operands) {
      if (operand.kind != Operand::Kind::tap) continue;
      const int producer = plan.tap(operand.name).producer;
      const bool within =
          producer >= 0 && sources.together(node.prefix, plan.nodes[static_cast<size_t>(producer)].prefix);
      if (!within && is_input(sources.inputs, operand.name, producer, closure)) {
        closure.inputs.insert(operand.name);
        continue;
      }
      PARITY_CHECK(producer >= 0, not_found, "required tap {} is missing; record the golden again with it",
                   operand.name);
      close(plan, sources, producer, closure);
    }
  }
}

}  // namespace

std::vector<Span> build_spans(const Plan& plan, const Sources& sources) {
  std::vector<Span> spans;
  for (size_t node = 0; node < plan.nodes.size(); ++node) {
    Span span;
    for (const auto& [field, output] : plan.nodes[node].outputs) {
      if (sources.judged.has(output.name)) span.judged.push_back(output.name);
    }
    if (span.judged.empty()) continue;
    Closure closure{span.judged, {}, {}};
    close(plan, sources, static_cast<int>(node), closure);
    span.nodes.assign(closure.nodes.begin(), closure.nodes.end());
    span.inputs.assign(closure.inputs.begin(), closure.inputs.end());
    spans.push_back(std::move(span));
  }
  return spans;
}

}  // namespace parity::replay
