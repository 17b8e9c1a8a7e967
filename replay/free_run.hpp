// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A plan on its own values, as the oracle rounds: what synthetic goldens and generation are made of; or in both lanes.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "replay/evaluator.hpp"

namespace parity::replay {

class FreeRun {
 public:
  using Visit = std::function<void(const Node&, const Outcome&)>;

  /// With Lanes::both the rounded lane takes the exact lane's decisions, so that the two stay comparable.
  FreeRun(const Plan& plan, const Registry& registry, const WeightSource& weights,
          Evaluator::Lanes lanes = Evaluator::Lanes::rounded);

  /// Gives call `step` its tokens (B, S): they continue those of earlier calls; there is no padding. Other inputs
  /// must be set first. Returns what was set: input_ids, position_ids, attention_mask.
  std::map<std::string, Tensor> set_tokens(int step, const Tensor& ids);
  void set(const std::string& tap, const Tensor& value);
  /// Runs the nodes up to the last one of call `step`; `visit` sees each before taps that are no longer read are freed.
  void run(int step, const Visit& visit);

 private:
  const Plan& plan_;
  Evaluator evaluator_;
  Evaluator::Lanes lanes_;
  std::map<std::string, int> uses_;
  Environment taps_;
  size_t next_ = 0;
};

}  // namespace parity::replay
