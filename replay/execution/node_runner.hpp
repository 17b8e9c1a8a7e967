// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Runs single nodes of a plan for a candidate: by its kernel, or by the reference if it has none.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "replay/captures/tap_source.hpp"
#include "replay/execution/computation.hpp"
#include "replay/execution/native.hpp"

namespace parity::replay {

class NodeRunner {
 public:
  using Wanted = std::function<bool(const std::string& tap)>;

  /// `wanted`: whether an optional output is needed. `source` has the plan's inputs; reads of it are not concurrent,
  /// even if several runners share it. All arguments must outlive the object.
  NodeRunner(const Computation& computation, const TapSource& source, Wanted wanted);

  /// Returns the node's outputs. `forced` replaces the decision of a node that takes one.
  [[nodiscard]] Values run(const Node& node, const Values& taps, const Tensor* forced = nullptr);
  /// Adds the inputs of the plan that the node reads to `taps`.
  void read_inputs(const Node& node, Values& taps) const;
  /// Recomputes from the source's decisions what later nodes read. `values` keeps the candidate's own decision.
  [[nodiscard]] Values follow(const Node& node, const Values& taps, Values& values);

  /// Returns the nodes that a kernel refused as unsupported, with its message. The reference computed them.
  [[nodiscard]] const std::map<std::string, std::string>& refused() const { return refused_; }
  /// What was copied between places: all taps, and the weights unless the computation holds them.
  [[nodiscard]] Moved moved() const;
  /// The tap in the host's memory.
  [[nodiscard]] const Tensor& on_host(const Value& value) const { return value.on_host(moved_); }

 private:
  [[nodiscard]] Values run_by_reference(const Node& node, const Values& taps, const Tensor* forced) const;
  /// Returns the source's values if a binary64 walk cannot reproduce the node, else nothing.
  [[nodiscard]] Values taken(const Node& node) const;
  [[nodiscard]] bool recorded(const std::string& tap) const;
  [[nodiscard]] Tensor read(const std::string& tap) const;

  const Computation& computation_;
  const TapSource& source_;
  Wanted wanted_;
  Evaluator evaluator_;
  std::shared_ptr<Residents> residents_;
  NativeCalls native_;
  mutable Moved moved_;
  std::map<std::string, std::string> refused_;
};

}  // namespace parity::replay
