// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Evaluates one node twice: exactly, with a running error bound, and with the oracle's roundings.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/call.hpp"
#include "core/plan.hpp"
#include "replay/execution/parameters.hpp"

namespace parity::replay {

/// A tap in both evaluations. They are equal if the tap was read from a recording.
struct TapValue {
  Tensor exact;     // f64, or i64
  Tensor rounded;   // with the oracle's roundings
  Tensor rounding;  // bound of this node's own error; empty for recorded and discrete taps
  Tensor noise;

  [[nodiscard]] int64_t bytes() const;
};

using Environment = std::map<std::string, TapValue>;  // key: tap

/// One evaluated node: its inputs and outputs by field.
struct Outcome {
  const Node* node = nullptr;
  const Definition* definition = nullptr;
  std::map<std::string, const TapValue*> inputs;  // only fields with a single tap
  std::map<std::string, TapValue> outputs;
  std::map<std::string, Tensor> own;  // discrete outputs that the exact evaluation chooses
  int64_t parameter_bytes = 0;        // widened, with the magnitudes for bounds; one member of a bank

  [[nodiscard]] int64_t output_bytes() const;
};

class Evaluator {
 public:
  Evaluator(const Registry& registry, const Plan& plan, const WeightSource& weights)
      : registry_(registry), plan_(plan), parameters_(plan, weights) {}

  enum class Lanes : uint8_t { both, rounded };
  /// Evaluates the node, with optional outputs that `wanted` accepts. Lanes::rounded: `exact` is a copy of `rounded`.
  [[nodiscard]] Outcome run(const Node& node, const Environment& taps,
                            const std::function<bool(const std::string&)>& wanted, Lanes lanes = Lanes::both) const;
  /// Continues with another decision: replaces the discrete output and recomputes what depends on it (input "forced").
  void force(Outcome& outcome, const std::string& field, const Tensor& decision, const Environment& taps) const;
  /// Returns a call of the node without its operands: parameters, types and the oracle's roundings.
  [[nodiscard]] KernelCall call_of(const Node& node, const Definition& definition) const;
  /// Whether a binary64 walk can reproduce the node only to binary32, so that it uses the recorded outputs.
  [[nodiscard]] bool single_in_binary64(const Node& node) const;

  /// Returns an evaluator for a library whose elementary functions err by up to `ulps` ulp of binary32.
  [[nodiscard]] Evaluator with_functions(double ulps) const {
    Evaluator result = *this;
    result.function_ulps_ = ulps;
    return result;
  }

  /// Returns an evaluator that uses weights as the checkpoint publishes them, not rounded to T.
  [[nodiscard]] Evaluator with_published_weights() const {
    Evaluator result = *this;
    result.parameters_.hold_published();
    return result;
  }

  [[nodiscard]] const Registry& registry() const { return registry_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  struct Operands;  // weights of the node, loaded once for both evaluations
  enum class Lane : uint8_t { exact, rounded };

  void give_inputs(KernelCall& call, const Node& node, const Environment& taps, Lane lane, Operands& operands,
                   const Tensor* forced) const;
  void run_lane(Outcome& outcome, const Environment& taps, Lane lane, Operands& operands, const Tensor* forced) const;
  void run_lanes(Outcome& outcome, const Environment& taps, const Tensor* forced, Lanes lanes) const;
  [[nodiscard]] DType held_type(const Operand& operand) const;
  void prepare(KernelCall& call, const Node& node, Lane lane) const;
  void load(const Node& node, Operands& operands) const;

  const Registry& registry_;
  const Plan& plan_;
  Parameters parameters_;
  double function_ulps_ = kLibraryUlps;
};

}  // namespace parity::replay
