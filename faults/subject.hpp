// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A small model with drawn weights that is run on any tokens in any calls: what relations between runs are tried on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/plan.hpp"
#include "core/tensor.hpp"
#include "faults/fault.hpp"

namespace parity::faults {

/// One run: tokens (B, S), cut into calls.
struct Calls {
  Tensor ids;                                                                                              // (B, S) i64
  std::vector<int64_t> lengths;      // of the calls; empty: one
  std::vector<int64_t> hidden{};     // per sequence, tokens at the end that the mask hides; empty: none
  int64_t first_position = 0;        // of the first token
  std::vector<MapWeight> weights{};  // what is read otherwise than the checkpoint says
};

class Subject {
 public:
  /// Binary32, eager, the newest profile; `fault` (may be absent) is planted in every plan.
  Subject(nlohmann::json config, uint64_t seed, const Fault* fault);

  /// Logits of all calls, side by side (B, S, V) f64.
  [[nodiscard]] Tensor logits(const Calls& calls) const;
  /// `count` tokens for each of `batch` sequences, the same for the same seed.
  [[nodiscard]] Tensor tokens(int64_t batch, int64_t count, uint64_t seed) const;
  [[nodiscard]] int64_t words() const { return words_; }
  [[nodiscard]] const AxisSizes& sizes() const { return sizes_; }
  [[nodiscard]] const std::string& system() const { return system_; }
  [[nodiscard]] const nlohmann::json& config() const { return config_; }
  /// Whether the fault has a place in this model; true without a fault.
  [[nodiscard]] bool concerned() const;

 private:
  [[nodiscard]] Plan plan_of(const Tensor& ids, const std::vector<int64_t>& lengths) const;

  nlohmann::json config_;
  uint64_t seed_;
  const Fault* fault_;
  std::string system_, profile_;
  int64_t words_ = 0;
  AxisSizes sizes_;
};

}  // namespace parity::faults
