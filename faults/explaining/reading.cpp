// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/reading.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "replay/spans/walk.hpp"

namespace parity::faults {
namespace {

Edited edited_by(const std::vector<Fault>& faults, const Plan& plan) {
  auto edited = applied(faults, plan);
  return edited ? std::move(*edited) : unedited(plan);
}

}  // namespace

bool reads_edited(const Plan& plan, const Node& node, const std::vector<MapWeight>& edits) {
  const auto about = [&](const std::string& published) {
    return std::any_of(edits.begin(), edits.end(), [&](const MapWeight& edit) {
      const size_t at = published.find("{}");
      const std::string member =
          at == std::string::npos ? published : published.substr(0, at) + "0" + published.substr(at + 2);
      return glob_match(edit.tensor, member);
    });
  };
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::tap) continue;
      const auto& published = plan.weights.at(operand.name).published;
      if (std::any_of(published.begin(), published.end(), about)) return true;
    }
  }
  return false;
}

Reading::Reading(const compare::OpenedRun& opened, std::shared_ptr<const Base> base, std::vector<Fault> faults)
    : opened_(opened),
      base_(std::move(base)),
      faults_(std::move(faults)),
      edited_(edited_by(faults_, base_->plan)),
      weights_(opened.weights(), edited_.weights),
      evaluator_(*edited_.registry, edited_.plan, weights_),
      spans_(replay::build_spans(edited_.plan, base_->sources)),
      stands_for_(compare::replaced_components(base_->plan, edited_.plan)) {}

const replay::Span* Reading::span_of(const std::string& tap) const {
  const auto found = std::find_if(spans_.begin(), spans_.end(), [&](const replay::Span& span) {
    return std::find(span.judged.begin(), span.judged.end(), tap) != span.judged.end();
  });
  return found == spans_.end() ? nullptr : &*found;
}

std::vector<compare::Record> Reading::judge(const std::vector<replay::Span>& spans) const {
  compare::JudgeOptions options = opened_.judge_options(compare::Mode::isolated, stands_for_);
  options.own_decisions = !faults_.empty();
  options.progress = nullptr;
  options.observe = nullptr;
  options.select = "*";
  compare::JudgeVisitor visitor(evaluator_, options);
  replay::walk_isolated(evaluator_, base_->sources, spans, visitor);
  std::vector<compare::Record> records;
  for (compare::Record& record : visitor.take_records()) {
    if (base_->own(record.tap)) records.push_back(std::move(record));
  }
  return records;
}

bool Reading::touches(const Fault& fault, const replay::Span& span) const {
  const bool weights = std::any_of(fault.edits.begin(), fault.edits.end(),
                                   [](const Edit& edit) { return std::holds_alternative<MapWeight>(edit); });
  return std::any_of(span.nodes.begin(), span.nodes.end(), [&](int index) {
    const Node& node = base_->plan.nodes[static_cast<size_t>(index)];
    return concerns(fault, base_->plan, node) || (weights && reads_edited(base_->plan, node, edited_.weights));
  });
}

}  // namespace parity::faults
