// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Functions with which plan builders declare nodes, taps, weights, aliases and the taps that caches hold, call by call.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"

namespace parity {

class PlanWriter;

/// Chained access to the node that was declared last.
class NodeWriter {
 public:
  NodeWriter(PlanWriter& writer, size_t node) : writer_(writer), node_(node) {}

  NodeWriter& param(const std::string& name, ParamValue value);
  NodeWriter& tap(const std::string& field, const std::string& tap,
                  const std::string& axes = {});  // name within the call
  NodeWriter& whole_tap(const std::string& field, const std::string& tap,
                        const std::string& axes = {});  // name from the root
  NodeWriter& weight(const std::string& field, const std::vector<std::string>& published, const std::string& axes,
                     Held held = Held::working);
  NodeWriter& precision(const std::string& point, Precision precision);  // of this node only
  NodeWriter& bank(const std::string& field, const std::vector<std::string>& published, const std::string& axes,
                   int64_t members);
  /// Declares the tap "<prefix>/<suffix>" (without suffix "<prefix>"); the kernel writes it under `kernel_axes`.
  NodeWriter& out(const std::string& field, const std::string& suffix, const std::string& axes,
                  TapType type = TapType::working, const std::string& kernel_axes = {});
  /// Marks the outputs declared so far: a recording may contain one row of them for all sequences.
  NodeWriter& one_for_all_rows();

 private:
  NodeWriter& parameter(Operand::Kind kind, const std::string& field, const std::vector<std::string>& published,
                        const std::string& axes, int64_t members, Held held);
  Node& node();

  PlanWriter& writer_;
  size_t node_;
};

class PlanWriter {
 public:
  explicit PlanWriter(Plan& plan) : plan_(plan) {}

  /// Begins or resumes a call. Tap names start with `root`, those of tokens/ with `inputs` (empty: with `root`).
  void begin_call(int step, const std::string& root, const AxisSizes& sizes, const std::string& inputs = {});
  void layer(int layer) { layer_ = layer; }
  void set_size(char axis, int64_t size) { sizes_[axis] = size; }
  [[nodiscard]] int64_t size(char axis) const { return sizes_.at(axis); }

  /// Until end_tower, `sizes` replace the extents of the call, because axis letters have different extents in a tower.
  void begin_tower(const AxisSizes& sizes);
  void end_tower();

  void input(const std::string& tap, const std::string& axes, TapType type = TapType::index);
  void alias(const std::string& tap, const std::string& repeated);
  /// After an edit of the cache: what `cache` holds is its own tap, with `slots` slots, and no taps of earlier calls.
  void new_history(const std::string& cache, const std::string& axes, int64_t slots);
  /// What `cache` holds: the taps that the cache `past` holds (full name; "" in the first call), and the tap `fresh` from
  /// slot `first` on.
  void history(const std::string& cache, const std::string& fresh, const std::string& axes, const std::string& past,
               int64_t first);
  NodeWriter node(const std::string& component, const std::string& prefix);
  /// Sets "component.param" on every node of that component.
  void apply(const ParamMap& settings);

 private:
  friend class NodeWriter;
  [[nodiscard]] std::string named(const std::string& tap) const {
    return (tap.starts_with("tokens/") ? inputs_ : root_) + tap;
  }

  Plan& plan_;
  std::string root_;
  std::string inputs_;  // root of tokens/
  AxisSizes sizes_;
  AxisSizes outside_;  // sizes of the call while a tower is written
  AxisSizes tower_;
  int step_ = 0;
  int layer_ = -1;
};

}  // namespace parity
