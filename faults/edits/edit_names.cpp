// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/edit_names.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "faults/edits/edit.hpp"
#include "reference/reference.hpp"

namespace parity::faults {
namespace {

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

std::vector<std::string> names_of(const std::vector<FieldInfo>& fields) {
  std::vector<std::string> names;
  for (const FieldInfo& field : fields) names.push_back(field.name);
  return names;
}

/// Checks one edit after another. Edits after a ReplaceComponent concern the new component.
class Names {
 public:
  explicit Names(const std::string& component) : definition_(&reference::registry().component(component)) {}

  void operator()(const SetParam& edit) const { require("parameter", edit.name, keys_of(definition_->defaults)); }
  void operator()(const Rewire& edit) const { require_input(edit.field); }
  void operator()(const SwapInputs& edit) const { require_input(edit.first), require_input(edit.second); }
  void operator()(const MapInput& edit) const { require_input(edit.field); }
  void operator()(const PassInput& edit) const { require_input(edit.field); }
  void operator()(const MapOutput& edit) const { require("output", edit.field, names_of(definition_->outputs)); }
  void operator()(const SetRounding& edit) const {
    require("rounding point", edit.point, keys_of(definition_->points));
  }
  void operator()(const ReplaceComponent& edit) { definition_ = &registry().component(edit.component); }
  void operator()(const MapWeight&) const {}  // names tensors of a checkpoint
  void operator()(const RankEdit&) const {}   // not checked

 private:
  void require_input(const std::string& name) const { require("input", name, names_of(definition_->inputs)); }

  void require(const char* what, const std::string& name, const std::vector<std::string>& known) const {
    PARITY_CHECK(std::find(known.begin(), known.end(), name) != known.end(), schema, "component {} has no {} '{}'{}",
                 definition_->name, what, name, did_you_mean(name, known));
  }

  const Definition* definition_;
};

}  // namespace

void require_names(const Fault& fault) {
  Names names(fault.component);
  for (const Edit& edit : fault.edits) std::visit(names, edit);
}

}  // namespace parity::faults
