// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shared by the makers of suspects: a node's declaration and operands, and edits as faults.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"
#include "faults/edits/notation.hpp"
#include "faults/explaining/suspects.hpp"

namespace parity::faults::suspects {

inline Fault fault_of(const Node& node, std::vector<Edit> edits) {
  Fault fault;
  fault.component = node.component;
  fault.edits = std::move(edits);
  fault.title = words_of(fault.edits);
  fault.id = notation_of(fault);
  return fault;
}

inline const Definition& definition_of(const Node& node) { return registry().component(node.component); }

inline ParamMap params_of(const Node& node, const Definition& definition) {
  ParamMap params = node.params;
  params.insert(definition.defaults.begin(), definition.defaults.end());
  return params;
}

inline TensorMap map_of(TensorMap::Kind kind, const std::string& axis = {}) {
  TensorMap map;
  map.kind = kind;
  map.axis = axis;
  return map;
}

/// An operand of a node that is a single tensor.
struct Read {
  std::string field, axes;
  const Operand* operand;
  TapInfo info;
  bool integer = false;
};

inline std::vector<Read> reads_of(const Base& base, const Node& node) {
  std::vector<Read> reads;
  const Definition& definition = definition_of(node);
  for (const auto& [field, list] : node.inputs) {
    const Operand& operand = list.front();
    if (operand.kind == Operand::Kind::bank) continue;
    Read read{field, operand.axes, &operand, {}, false};
    if (operand.kind == Operand::Kind::tap) {
      read.info = base.plan.tap(operand.name);
      read.integer = is_integer(read.info.type);
      if (read.axes.empty()) read.axes = read.info.axes;
    } else {
      read.info = {"", base.plan.weights.at(operand.name).shape, TapType::wide};
      if (read.axes.empty()) read.axes = definition.inputs[static_cast<size_t>(definition.input_index(field))].axes;
    }
    reads.push_back(read);
  }
  return reads;
}

}  // namespace parity::faults::suspects
