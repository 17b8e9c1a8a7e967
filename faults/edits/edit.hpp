// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plants a fault: takes a plan and returns an edited plan. No other code of the program depends on faults.
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
#include "faults/edits/faulty_link.hpp"
#include "faults/edits/wrapped.hpp"

namespace parity::faults {

/// Returns the registry of the reference's components and the faulty ones (faults/mutants/).
[[nodiscard]] const Registry& registry();
void register_all(Registry& registry);

/// A component with maps applied to its operands.
struct Wrapped {
  std::string component;
  std::vector<OperandMap> maps;
};

struct Edited {
  Plan plan;
  std::shared_ptr<const Registry> registry;  // has all components of the plan
  std::vector<MapWeight> weights;            // `tensor` is a glob over published names
  std::vector<std::string> places;           // prefixes of the edited nodes
  std::map<std::string, Wrapped> wrapped{};  // by name of the wrapped component in the plan
  std::set<std::string> nodes{};             // first output of each edited node, since nodes may share a prefix
  std::set<std::string> rounded{};           // first output of each node with an edited rounding point
  std::vector<FaultyMessage> messages{};     // messages between ranks that arrive otherwise
  bool only_later = false;                   // only roundings are edited, and none became coarser
};

/// Returns the plan without edits.
[[nodiscard]] Edited unedited(const Plan& plan);

/// Whether the fault can edit this node.
[[nodiscard]] bool concerns(const Fault& fault, const Plan& plan, const Node& node);

/// Returns the prefix of a node's layer, such as "steps/000/text/layers/01/": {at} in the catalogue.
[[nodiscard]] std::string layer_prefix(const std::string& prefix);
/// Returns the shape of an operand or result under the axes with which the kernel accesses it.
[[nodiscard]] Shape shape_under(const Plan& plan, const Node& node, const std::string& axes, const TapInfo& info);
/// Returns the tap that the edit names for this node, which may be an alias.
[[nodiscard]] std::string rewired_tap(const Rewire& edit, const Node& node);

/// Returns the plan with the fault; nullopt if it concerns no node. Error{usage} if a node does not allow the edit.
[[nodiscard]] std::optional<Edited> applied(const Fault& fault, const Plan& plan);
/// Returns the plan with several faults. If two concern one node, the edits of the earlier fault are made first.
[[nodiscard]] std::optional<Edited> applied(const std::vector<Fault>& faults, const Plan& plan);

/// A checkpoint in which some tensors are read wrongly. `inner` must outlive it. Several threads may read at once.
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
  mutable std::map<std::string, Tensor> changed_;  // tensors that tensor() returned
};

}  // namespace parity::faults
