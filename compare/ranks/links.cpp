// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/ranks/links.hpp"

#include <fmt/ranges.h>

#include "core/sharding/sent_rows.hpp"
#include "reference/reference.hpp"

namespace parity::compare {
namespace {

std::string place_of(const LinkTraffic& link) {
  return fmt::format("rank {} sent {} bytes for {} {}, expected {}", link.rank, link.bytes, link.component,
                     link.layer < 0 ? "outside the layers" : fmt::format("in layer {}", link.layer), link.expected);
}

std::string note_of(const std::vector<LinkTraffic>& links) {
  std::map<std::string, ranks::Traffic> sums;
  const LinkTraffic* different = nullptr;
  for (const LinkTraffic& link : links) {
    sums[link.component] += {link.messages, link.bytes};
    if (different == nullptr && link.bytes != link.expected) different = &link;
  }
  std::vector<std::string> parts;
  for (const auto& [component, sum] : sums)
    parts.push_back(fmt::format("{} {} bytes in {} messages", component, sum.bytes, sum.messages));
  return fmt::format(
      "links between ranks: {}; {}", fmt::join(parts, ", "),
      different == nullptr ? "every rank sent the expected number of bytes in every layer" : place_of(*different));
}

}  // namespace

void report_links(const ranks::LinkCounts& counted, const Plan& plan, const replay::TapSource& values,
                  GoldenReport& report) {
  const SentRowsOf chosen(plan, reference::registry());
  for (const Node& node : plan.nodes) {
    if (chosen.by_ids(node) && !values.has(SentRowsOf::ids_tap(node))) return;
  }
  const auto rows = [&](const Node& node, size_t part) {
    const Tensor ids = widen(values.read(SentRowsOf::ids_tap(node)));
    return static_cast<double>(chosen.rows(node, part, &ids.view()).size());
  };
  std::map<ranks::LinkKey, LinkTraffic> links;
  const auto at = [&](const ranks::LinkKey& key) -> LinkTraffic& {
    return links.emplace(key, LinkTraffic{key.rank, key.layer, key.component}).first->second;
  };
  for (const auto& [key, sent] : counted) {
    at(key).messages = sent.messages;
    at(key).bytes = sent.bytes;
  }
  for (const auto& [key, asked] : ranks::traffic_of(plan, chosen, rows)) at(key).expected = asked.bytes;
  if (links.empty()) return;
  report.links.clear();
  for (const auto& [key, link] : links) report.links.push_back(link);
  report.notes.push_back(note_of(report.links));
}

}  // namespace parity::compare
