// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The cut between the first n nodes of a plan and the rest: what crosses it, as the reference has it, and as a file.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "golden/golden.hpp"
#include "replay/evaluator.hpp"
#include "replay/recording.hpp"

namespace parity::faults {

/// The part of a plan that one tap depends on.
class Route {
 public:
  Route(const Plan& plan, const std::string& end);

  [[nodiscard]] const std::string& end() const { return end_; }
  [[nodiscard]] const std::vector<int>& nodes() const { return nodes_; }  // in plan order
  /// Taps that the first `cut` nodes of the route make and the others read.
  [[nodiscard]] std::vector<std::string> crossing(int64_t cut) const;
  /// Cuts before the first node of a layer.
  [[nodiscard]] std::vector<int64_t> layer_cuts() const;
  /// The taps at a cut as the reference has them, on its own values from the recorded inputs; at the last cut, the end.
  [[nodiscard]] replay::Environment walk(const replay::Evaluator& evaluator, const replay::Recording& inputs,
                                         int64_t cut, replay::Evaluator::Lanes lanes) const;
  /// Inputs of the plan (tokens, pictures) of all calls on the way.
  [[nodiscard]] std::set<std::string> inputs() const;

 private:
  const Plan& plan_;
  std::string end_;
  std::vector<int> nodes_;
};

/// Golden layout (docs/golden-format.md): configuration, inputs and `taps`; root attribute `wanted` names what is asked for.
void write_boundary(const golden::Golden& golden, const Plan& plan, const Route& route,
                    const replay::Recording& recording, const replay::Environment& taps,
                    const std::vector<std::string>& wanted, const std::filesystem::path& path);

/// The reference, or an edited plan, as an engine: reads such a file, writes what it wants.
void answer_boundary(const replay::Evaluator& evaluator, const std::filesystem::path& in,
                     const std::filesystem::path& out);

}  // namespace parity::faults
