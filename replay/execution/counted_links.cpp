// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/counted_links.hpp"

namespace parity::replay {

ranks::LinkCounts links_of(const Plan& plan, const ranks::CountingCommunicator& counted) {
  std::vector<const std::string*> taps;
  for (const auto& [tap, info] : plan.taps) taps.push_back(&tap);
  std::map<std::pair<std::string, int>, const Node*> readers;  // first node of each rank that reads the tap
  for (const Node& node : plan.nodes) {
    for (const auto& [field, list] : node.inputs) {
      for (const Operand& operand : list) readers.emplace(std::pair(operand.name, node.rank), &node);
    }
  }
  ranks::LinkCounts links;
  for (const auto& [link, sent] : counted.sent()) {
    const auto reader = readers.find({*taps.at(static_cast<size_t>(link.first)), link.second});
    const bool known = reader != readers.end();
    links[{known ? reader->second->layer : -1, known ? reader->second->component : "nothing", counted.rank()}] +=
        {sent.messages, sent.bytes};
  }
  return links;
}

}  // namespace parity::replay
