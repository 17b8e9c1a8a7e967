// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Runs a plan on its own values, oracle-rounded (for synthetic goldens and generation) or in both evaluations.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "replay/runs/evaluator.hpp"

namespace parity::replay {

class FreeRun {
 public:
  using Visit = std::function<void(const Node&, const Outcome&)>;

  /// With Lanes::both the rounded evaluation uses the choices of the exact one, so that their values can be compared.
  FreeRun(const Plan& plan, const Registry& registry, const WeightSource& weights,
          Evaluator::Lanes lanes = Evaluator::Lanes::rounded);

  /// Sets the tokens (B, S) of call `step`. They continue those of earlier calls, without padding. Other inputs must be
  /// set before. Returns the taps that were set: input_ids, position_ids, attention_mask.
  std::map<std::string, Tensor> set_tokens(int step, const Tensor& ids);
  void set(const std::string& tap, const Tensor& value);
  /// Runs the nodes up to the last one of call `step`. Calls `visit` for each before unused taps are freed.
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
