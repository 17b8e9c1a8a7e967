// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/capture_writer.hpp"

#include "golden/activation_writer.hpp"

namespace parity::replay {
namespace {

std::map<std::string, golden::AttributeValue> root_of(const golden::Golden& golden) {
  std::map<std::string, golden::AttributeValue> root;
  for (const auto& [name, value] : golden.activations().attributes()) root[name] = value;
  root["golden"] = golden.name();
  return root;
}

}  // namespace

void write_capture(const golden::Golden& golden, const TapSource& taps, const std::filesystem::path& file) {
  auto writer = golden::ActivationWriter::create(file, root_of(golden));
  const Plan& plan = taps.plan();
  const golden::ActivationFile& recorded = golden.activations();
  for (const auto& [tap, info] : plan.taps) {
    if (info.producer < 0 && recorded.contains(tap)) {
      const golden::DatasetInfo& input = recorded.at(tap);
      writer.write(tap, recorded.read(tap).view(), {input.axes, input.role, input.component});
    } else if (info.producer >= 0 && info.type != TapType::text && taps.has(tap)) {
      const std::string& component = plan.nodes[static_cast<size_t>(info.producer)].component;
      writer.write(tap, taps.read(tap).reshaped(info.shape, info.axes).view(), {info.axes, "output", component});
    }
  }
  for (const auto& [group, attributes] : recorded.groups()) {
    if (group.empty()) continue;
    for (const auto& [name, value] : attributes) writer.group_attribute(group, name, value);
  }
  writer.commit();
}

}  // namespace parity::replay
