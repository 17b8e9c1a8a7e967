// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A fault: a small, named edit of a plan. A bug that someone shipped, or could. The same catalogue proves that the judge
// can fail and, after a failure, explains it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/component.hpp"
#include "faults/edits/tensor_map.hpp"

namespace parity::faults {

/// params[name] = value, or times `value`, or an expression (tensor_map.hpp).
struct SetParam {
  std::string name;
  ParamValue value;
  bool times = false;
  std::string expression;
};

/// The input `field` reads `tap`, in which {prefix} stands for the node's own and {at} for that of its layer, with the
/// slash after it.
struct Rewire {
  std::string field;
  std::string tap;
};

/// Two inputs of the node read each other's operands.
struct SwapInputs {
  std::string first, second;
};

/// Another component of the same signature stands in: an order of operations that somebody mistook for the right one.
struct ReplaceComponent {
  std::string component;
};

/// Published tensors that match `tensor` are read under another name (`from` becomes `to`, or the number after `next` grows
/// by one, back to 0 where there is none), or with other numbers.
struct MapWeight {
  std::string tensor;
  std::string from, to;
  std::string next;
  TensorMap map;
};

/// What the node reads (positions are inputs too) or writes, with other numbers.
struct MapInput {
  std::string field;
  TensorMap map;
};
struct MapOutput {
  std::string field;
  TensorMap map;
};

struct SetRounding {
  std::string point;
  Precision precision;
};

/// The node does nothing: its output is what it reads under `field`, an operand of the output's axes.
struct PassInput {
  std::string field;
};

using Edit = std::variant<SetParam, Rewire, SwapInputs, ReplaceComponent, MapWeight, MapInput, MapOutput, SetRounding,
                          PassInput>;

struct Fault {
  std::string id;     // "rms_norm-without-one"
  std::string title;  // what the faulty code does, in words
  std::string component;
  std::vector<std::string> at;  // globs over node prefixes; empty: every node of the component
  bool later_calls_only = false;
  std::vector<std::string> systems;  // empty: every system
  std::vector<Edit> edits;
  std::vector<std::string> seen;  // where it shipped
  bool by_relations = false;      // of what no recording holds: `parity relations` shows it
  std::string equivalent;         // why no judge can see it; empty for a real fault
};

}  // namespace parity::faults
