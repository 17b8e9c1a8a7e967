// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/engines/boundary.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/ranges.h>

#include "golden/files/activation_writer.hpp"
#include "replay/execution/lifetimes.hpp"
#include "replay/spans/walk.hpp"

namespace parity::faults {
namespace {

using replay::Environment;
using replay::Evaluator;

bool nothing_more(const std::string&) { return false; }

void for_each_tap(const Node& node, const std::function<void(const std::string&)>& body) {
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::tap) body(operand.name);
    }
  }
}

/// Returns the nodes that the taps in `open` depend on. Nodes whose outputs are `given` are not needed.
std::vector<int> nodes_for(const Plan& plan, std::set<std::string> open,
                           const std::function<bool(const std::string&)>& given) {
  std::vector<int> nodes;
  for (size_t i = plan.nodes.size(); i-- > 0;) {
    const Node& node = plan.nodes[i];
    const bool needed = std::any_of(node.outputs.begin(), node.outputs.end(), [&](const auto& output) {
      return open.contains(output.second.name) && !given(output.second.name);
    });
    if (!needed) continue;
    nodes.push_back(static_cast<int>(i));
    for_each_tap(node, [&](const std::string& tap) { open.insert(tap); });
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

Tensor stored(const Plan& plan, const std::string& tap, const replay::TapValue& value) {
  return convert(value.rounded.view(), plan.dtype_of(plan.tap(tap).type));
}

void write_tap(const Plan& plan, const std::string& tap, const replay::TapValue& value, const char* role,
               golden::ActivationWriter& writer) {
  const int producer = plan.tap(tap).producer;
  const std::string component = producer < 0 ? "input" : plan.nodes[static_cast<size_t>(producer)].component;
  writer.write(tap, stored(plan, tap, value).view(), {plan.tap(tap).axes, role, component});
}

}  // namespace

Route::Route(const Plan& plan, const std::string& end)
    : plan_(plan), end_(end), nodes_(nodes_for(plan, {end}, nothing_more)) {}

std::vector<std::string> Route::crossing(int64_t cut) const {
  std::set<std::string> made, read;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = plan_.nodes[static_cast<size_t>(nodes_[i])];
    if (static_cast<int64_t>(i) < cut) {
      for (const auto& [field, output] : node.outputs) made.insert(output.name);
    } else {
      for_each_tap(node, [&](const std::string& tap) { read.insert(tap); });
    }
  }
  if (cut == static_cast<int64_t>(nodes_.size())) return {end_};
  std::vector<std::string> both;
  std::set_intersection(made.begin(), made.end(), read.begin(), read.end(), std::back_inserter(both));
  return both;
}

std::vector<int64_t> Route::layer_cuts() const {
  std::vector<int64_t> cuts;
  for (size_t i = 1; i < nodes_.size(); ++i) {
    const Node& before = plan_.nodes[static_cast<size_t>(nodes_[i - 1])];
    const Node& node = plan_.nodes[static_cast<size_t>(nodes_[i])];
    if (before.layer != node.layer || before.step != node.step) cuts.push_back(static_cast<int64_t>(i));
  }
  return cuts;
}

Environment Route::walk(const Evaluator& evaluator, const replay::Recording& inputs, int64_t cut,
                        Evaluator::Lanes lanes) const {
  const auto uses = replay::last_uses(plan_, nodes_);
  Environment taps;
  for (int64_t i = 0; i < cut; ++i) {
    const int index = nodes_[static_cast<size_t>(i)];
    const Node& node = evaluator.plan().nodes[static_cast<size_t>(index)];
    replay::read_inputs(evaluator.plan(), inputs, node, taps);
    replay::Outcome outcome = evaluator.run(
        node, taps, [&](const std::string& tap) { return tap == end_ || uses.contains(tap); }, lanes);
    replay::keep_outputs(outcome, taps);
    if (i + 1 < static_cast<int64_t>(nodes_.size())) replay::release(taps, uses, index);
  }
  Environment result;
  for (const std::string& tap : crossing(cut)) result[tap] = std::move(taps.at(tap));
  return result;
}

std::set<std::string> Route::inputs() const {
  std::set<std::string> result;
  for (const int index : nodes_) {
    for_each_tap(plan_.nodes[static_cast<size_t>(index)], [&](const std::string& tap) {
      if (plan_.tap(tap).producer < 0) result.insert(tap);
    });
  }
  return result;
}

void write_boundary(const golden::Golden& golden, const Plan& plan, const Route& route,
                    const replay::Recording& recording, const Environment& taps, const std::vector<std::string>& wanted,
                    const std::filesystem::path& path) {
  std::map<std::string, golden::AttributeValue> root;
  for (const auto& [name, value] : golden.activations().attributes()) root[name] = value;
  for (const char* ours : {"format", "format_version", "taps"}) root.erase(ours);
  root["wanted"] = fmt::format("{}", fmt::join(wanted, " "));
  auto writer = golden::ActivationWriter::create(path, root);
  writer.write_text("config", golden.config().dump());
  for (const std::string& tap : route.inputs())
    write_tap(plan, tap, replay::recorded_value(recording, tap), "input", writer);
  for (const auto& [tap, value] : taps) write_tap(plan, tap, value, "input", writer);
  for (const auto& [alias, tap] : plan.aliases) {
    if (taps.contains(tap)) writer.link(alias, tap);
  }
  for (const auto& [group, attributes] : golden.activations().groups()) {
    const auto below = [&](const std::string& tap) { return tap.starts_with(group + "/"); };
    const auto inputs = route.inputs();
    if (group.empty() || !std::any_of(inputs.begin(), inputs.end(), below)) continue;
    for (const auto& [name, value] : attributes) writer.group_attribute(group, name, value);
  }
  writer.commit();
}

void answer_boundary(const Evaluator& evaluator, const std::filesystem::path& in, const std::filesystem::path& out) {
  const auto file = golden::ActivationFile::open(in);
  const Plan& plan = evaluator.plan();
  const replay::Recording given(file, plan);
  const auto attribute = file.attributes().find("wanted");
  PARITY_CHECK(attribute != file.attributes().end(), schema,
               "{}: attribute 'wanted' is missing; give the file that parity bisect wrote", in.string());
  std::set<std::string> wanted;
  std::istringstream words(attribute->second);
  for (std::string tap; words >> tap;) wanted.insert(tap);
  Environment taps;
  for (const auto& [tap, info] : plan.taps) {
    if (given.has(tap)) taps[tap] = replay::recorded_value(given, tap);
  }
  for (const int index : nodes_for(plan, wanted, [&](const std::string& tap) { return given.has(tap); })) {
    const Node& node = plan.nodes[static_cast<size_t>(index)];
    replay::Outcome outcome = evaluator.run(
        node, taps, [](const std::string&) { return true; }, Evaluator::Lanes::rounded);
    for (auto& [field, value] : outcome.outputs) taps.try_emplace(node.outputs.at(field).name, std::move(value));
  }
  auto writer = golden::ActivationWriter::create(out, {{"system", plan.system}});
  for (const std::string& tap : wanted) write_tap(plan, tap, taps.at(tap), "output", writer);
  writer.commit();
}

}  // namespace parity::faults
