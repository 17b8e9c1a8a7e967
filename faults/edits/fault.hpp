// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A fault is a small, named edit of a plan: a bug that was shipped, or could be. The catalogue is used to prove that
// the judge can fail, and to explain failures.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/component.hpp"
#include "faults/edits/tensor_map.hpp"

namespace parity::faults {

/// Sets params[name] to `value`, multiplies it by `value`, or sets it to an expression (tensor_map.hpp).
struct SetParam {
  std::string name;
  ParamValue value;
  bool times = false;
  std::string expression;
};

/// Makes the input `field` read `tap`. In `tap`, {prefix} stands for the node's prefix and {at} for its layer's, each
/// with the slash at the end.
struct Rewire {
  std::string field;
  std::string tap;
};

/// Exchanges the operands of two inputs of the node.
struct SwapInputs {
  std::string first, second;
};

/// Replaces the component by another of the same signature, in which a wrong order of operations is used.
struct ReplaceComponent {
  std::string component;
};

/// Reads the published tensors that match `tensor` under another name, or with changed numbers. `from` is renamed `to`,
/// or the number after `next` grows by one and wraps to 0.
struct MapWeight {
  std::string tensor;
  std::string from, to;
  std::string next;
  TensorMap map;
};

/// Changes the numbers that the node reads (positions too), or those that it writes. Of an input with operands of
/// several ranks, `of` names those that change: "own", "others", or a rank; empty: all.
struct MapInput {
  std::string field;
  TensorMap map;
  std::string of{};
};
struct MapOutput {
  std::string field;
  TensorMap map;
};

struct SetRounding {
  std::string point;
  Precision precision;
};

/// Makes the node do nothing: its output is its input `field`, which must have the output's axes.
struct PassInput {
  std::string field;
};

/// An error in how a model is divided among ranks (rank_edits.hpp).
struct RankEdit {
  enum class Kind : uint8_t {
    take,     // operands `of` the input `what` are those of rank `value`, or other taps of the same ranks: "tap NAME"
    append,   // the input `what` has one more operand: tap `value`
    shard,    // the weights `what` (a glob over published names) are divided otherwise: `value` says how
    load,     // the weights `what` are those of the next entry of `value` ("layers."), on this rank alone
    experts,  // the banks `what` begin `value` experts later
    slot,     // the parameter `what`, at which the node's tokens begin, is counted otherwise: `value` says how
    order,    // the parts `what` are joined in another order: `value` says which
    message,  // what rank `of` sends for this collective arrives otherwise: `value` says how (faulty_link.hpp)
  };
  Kind kind = Kind::take;
  std::string what, of, value;
};

using Edit = std::variant<SetParam, Rewire, SwapInputs, ReplaceComponent, MapWeight, MapInput, MapOutput, SetRounding,
                          PassInput, RankEdit>;

struct Fault {
  std::string id;     // such as "rms_norm-without-one"
  std::string title;  // what the faulty code does, in words
  std::string component;
  std::vector<std::string> at;  // globs over node prefixes; empty: every node of the component
  bool later_calls_only = false;
  std::vector<std::string> systems;  // empty: every system
  std::vector<Edit> edits;
  std::vector<std::string> seen;       // where the bug was shipped
  bool by_relations = false;           // no recording can show it; `parity relations` does
  std::string equivalent;              // why no judge can detect it; empty for a real fault
  std::vector<std::string> layouts{};  // layouts in which it is planted; not empty: its ranks are drawn

  [[nodiscard]] bool of_ranks() const { return !layouts.empty(); }
};

}  // namespace parity::faults
