// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plants a fault: plan in, edited plan out. Nothing else of the program knows of faults.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/weights.hpp"
#include "faults/edits/fault.hpp"
#include "faults/edits/wrapped.hpp"

namespace parity::faults {

/// The reference's components and the faulty ones (faults/mutants/).
[[nodiscard]] const Registry& registry();
void register_all(Registry& registry);

/// A component under maps of its operands.
struct Wrapped {
  std::string component;
  std::vector<OperandMap> maps;
};

struct Edited {
  Plan plan;
  std::shared_ptr<const Registry> registry;  // the plan's components are in there
  std::vector<MapWeight> weights;            // `tensor` is a glob over published names
  std::vector<std::string> places;           // prefixes of the nodes that were edited
  std::map<std::string, Wrapped> wrapped{};  // by the name that the plan has for it
  std::set<std::string> nodes{};             // the first output of each, since nodes may share a prefix
  std::set<std::string> rounded{};           // … of those where a rounding point was edited
  bool only_later = false;                   // nothing is edited but roundings, and none of them became coarser
};

/// The plan as it is.
[[nodiscard]] Edited unedited(const Plan& plan);

/// Whether the fault has something to edit at this node.
[[nodiscard]] bool concerns(const Fault& fault, const Plan& plan, const Node& node);

/// "steps/000/text/layers/01/" of whatever stands in that layer, {at} of the catalogue.
[[nodiscard]] std::string layer_prefix(const std::string& prefix);
/// The shape of an operand or result under the axes that a kernel reads or writes.
[[nodiscard]] Shape shape_under(const Plan& plan, const Node& node, const std::string& axes, const TapInfo& info);
/// The tap that the edit names for this node; it may be an alias.
[[nodiscard]] std::string rewired_tap(const Rewire& edit, const Node& node);

/// Nothing when no node of the plan is concerned; Error{usage} for an edit that a concerned node does not allow.
[[nodiscard]] std::optional<Edited> applied(const Fault& fault, const Plan& plan);
/// Several faults at once: where two concern a node, the edits of the first are made first.
[[nodiscard]] std::optional<Edited> applied(const std::vector<Fault>& faults, const Plan& plan);

/// A checkpoint some of whose tensors are read wrongly. `inner` must outlive it; any number of threads may read.
class EditedWeights : public WeightSource {
 public:
  EditedWeights(const WeightSource& inner, std::vector<MapWeight> edits) : inner_(inner), edits_(std::move(edits)) {}

  [[nodiscard]] std::vector<std::string> names() const override { return inner_.names(); }
  [[nodiscard]] bool contains(const std::string& name) const override { return inner_.contains(name); }
  [[nodiscard]] TensorView tensor(const std::string& name) const override;
  [[nodiscard]] StoredInfo describe(const std::string& name) const override { return inner_.describe(name); }
  void read(const std::string& name, double* target) const override;

 private:
  [[nodiscard]] const MapWeight* edit_of(const std::string& name) const;
  [[nodiscard]] std::string renamed(const MapWeight& edit, const std::string& name) const;

  const WeightSource& inner_;
  std::vector<MapWeight> edits_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Tensor> changed_;  // what tensor() handed out
};

}  // namespace parity::faults
