// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/fixture.hpp"

#include <algorithm>

#include "compare/judging/finding_values.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"
#include "replay/spans/walk.hpp"

namespace parity::faults {
namespace {

/// Computes the judge's tolerance for one tap.
class ToleranceVisitor : public replay::Visitor {
 public:
  ToleranceVisitor(const std::string& tap, DType working) : tap_(tap), working_(working) {}

  bool decide(const replay::Finding&) override { return true; }
  void undecided(const replay::Outcome&, const std::string&) override {}
  void judge(const replay::Finding& finding) override {
    if (finding.tap != tap_) return;
    const Tensor got = widen(finding.recorded.view());
    constexpr double kNoChain = 0.0;  // each span stands alone
    const compare::Values values = compare::values_of(finding, got, finding.recorded.dtype(), working_, kNoChain);
    const compare::Tolerance tolerance(values);
    result_ = Tensor(DType::f64, got.shape(), got.view().axes);
    for (int64_t i = 0; i < values.count; ++i) result_.f64()[i] = tolerance.at(i);
  }
  void progress(size_t, size_t, const std::string&) override {}
  void failed(const std::vector<std::string>&, const Error& error) override { throw Error(error); }
  void working_set(int64_t, const std::string&) override {}

  [[nodiscard]] const Tensor& result() const { return result_; }

 private:
  std::string tap_;
  DType working_;
  Tensor result_;
};

/// Returns the tap with its layer replaced by "*": "steps/000/text/layers/*/x". Empty outside the layers.
std::string across_layers(const std::string& tap) {
  constexpr std::string_view kLayers = "/layers/";
  const size_t at = tap.find(kLayers);
  if (at == std::string::npos) return {};
  const size_t number = at + kLayers.size();
  return tap.substr(0, number) + "*" + tap.substr(tap.find('/', number));
}

Target target_of(const Plan& plan, const Registry& registry, const replay::Recording& recording, const Node& node,
                 const std::string& field) {
  const Definition& definition = registry.component(node.component);
  Target target;
  target.tap = node.outputs.at(field).name;
  target.dataset = recording.dataset(target.tap);
  target.component = node.component;
  target.field = field;
  const TapInfo& info = plan.tap(target.tap);
  target.axes = info.axes;
  target.shape = info.shape;
  target.dtype = plan.dtype_of(info.type);
  target.judge = definition.outputs[static_cast<size_t>(definition.output_index(field))].judge;
  target.sizes = plan.sizes_of(node);
  return target;
}

std::vector<Target> targets_of(const Plan& plan, const Registry& registry, const replay::Recording& recording) {
  std::vector<Target> targets;
  for (const Node& node : plan.nodes) {
    for (const auto& [field, output] : node.outputs) {
      if (recording.has(output.name)) targets.push_back(target_of(plan, registry, recording, node, field));
    }
  }
  for (Target& target : targets) {
    const std::string family = across_layers(target.tap);
    for (const Target& other : targets) {
      const bool alike = !family.empty() && other.tap != target.tap && across_layers(other.tap) == family;
      if (alike && other.shape == target.shape && other.dtype == target.dtype) target.others.push_back(other.tap);
    }
  }
  return targets;
}

}  // namespace

Fixture::Fixture(const std::filesystem::path& golden)
    : golden_(golden::Golden::open(golden)),
      plan_(replay::plan_of(golden_)),
      evaluator_(reference::registry(), plan_, golden_.parameters()),
      recording_(golden_.activations(), plan_),
      spans_(replay::build_spans(plan_, recording_)),
      targets_(targets_of(plan_, reference::registry(), recording_)) {}

Tensor Fixture::tolerance(const std::string& tap) const {
  const auto span = std::find_if(spans_.begin(), spans_.end(), [&](const replay::Span& s) {
    return std::find(s.judged.begin(), s.judged.end(), tap) != s.judged.end();
  });
  PARITY_CHECK(span != spans_.end(), internal, "no span judges {}", tap);
  ToleranceVisitor visitor(tap, plan_.working);
  replay::walk_isolated(evaluator_, recording_, {*span}, visitor);
  return visitor.result();
}

Material Fixture::material(const Target& target, Needs needs, Draws& draws) const {
  Material material;
  material.recorded = recording_.read(target.tap);
  if (needs == Needs::tolerance) material.tolerance = tolerance(target.tap);
  if (needs == Needs::other) {
    const int64_t other = draws.below(static_cast<int64_t>(target.others.size()));
    material.other = recording_.read(target.others[static_cast<size_t>(other)]);
  }
  return material;
}

std::string alarm_of(const compare::GoldenReport& report) {
  const auto fine = [](compare::Status status) {
    return compare::is_green(status) || status == compare::Status::skipped;
  };
  if (fine(report.verdict)) return {};
  for (const compare::Record& record : report.records) {
    if (!fine(record.status))
      return fmt::format("{}: {} {}: {}", report.path, to_string(record.status), record.tap,
                         record.reason.empty() ? record.where : record.reason);
  }
  return fmt::format("{}: {}", report.path, to_string(report.verdict));
}

}  // namespace parity::faults
