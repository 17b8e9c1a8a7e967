// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Computes a model of any size layer by layer. Only the taps that later layers read are kept, and only the weights of
// one node, of a bank one member, are in memory.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "replay/runs/evaluator.hpp"

namespace parity::replay {

/// A layer with all its calls; or what is before, or after, all layers.
struct Stage {
  int layer = -1;               // -1: outside the layers
  std::vector<int> nodes;       // in the order of the plan
  std::set<std::string> reads;  // taps that other stages or the caller make
};

/// The stages of a plan in an order in which they can run: before the layers, each layer, after them. A layer's calls
/// are together, because a later call reads no more of other layers than their output in the same call. Calls before
/// `first_step` are not computed: the caller sets their taps that others read, which are caches.
[[nodiscard]] std::vector<Stage> stages_of(const Plan& plan, int first_step = 0);

class LayerWalk {
 public:
  using Visit = std::function<void(const Node&, const Outcome&)>;

  /// The arguments must outlive the object.
  LayerWalk(const Plan& plan, const Registry& registry, const WeightSource& weights, int first_step = 0);

  [[nodiscard]] const std::vector<Stage>& stages() const { return stages_; }
  /// The taps that a stage reads and nothing has made or set.
  [[nodiscard]] std::vector<std::string> lacking(size_t stage) const;
  /// Sets an input of the plan, a tap of a call that is not computed, or one that was kept from an earlier walk.
  void set(const std::string& tap, const Tensor& value);
  /// The taps in memory: inputs of the plan, and what later stages read.
  [[nodiscard]] std::map<std::string, Tensor> kept() const;
  /// Computes one stage, with the oracle's roundings. Afterwards only inputs and taps that later stages read are kept.
  void run(size_t stage, const Visit& visit);

 private:
  const Plan& plan_;
  Evaluator evaluator_;
  std::vector<Stage> stages_;
  Environment taps_;
};

}  // namespace parity::replay
