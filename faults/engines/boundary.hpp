// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The cut between a plan's first n nodes and the others: the taps that cross it, their reference values, and a file.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "golden/golden.hpp"
#include "replay/runs/evaluator.hpp"
#include "replay/runs/recording.hpp"

namespace parity::faults {

/// The nodes of a plan that one tap depends on.
class Route {
 public:
  Route(const Plan& plan, const std::string& end);

  [[nodiscard]] const std::string& end() const { return end_; }
  [[nodiscard]] const std::vector<int>& nodes() const { return nodes_; }  // in plan order
  /// Returns the taps that the first `cut` nodes of the route write and later nodes read.
  [[nodiscard]] std::vector<std::string> crossing(int64_t cut) const;
  /// Returns the cuts before the first node of each layer.
  [[nodiscard]] std::vector<int64_t> layer_cuts() const;
  /// Returns the reference's taps at a cut, computed from the recorded inputs. At the last cut this is the end.
  [[nodiscard]] replay::Environment walk(const replay::Evaluator& evaluator, const replay::Recording& inputs,
                                         int64_t cut, replay::Evaluator::Lanes lanes) const;
  /// Returns the plan's inputs (tokens, pictures) in all calls of the route.
  [[nodiscard]] std::set<std::string> inputs() const;

 private:
  const Plan& plan_;
  std::string end_;
  std::vector<int> nodes_;
};

/// Writes a golden file (docs/golden-format.md) of config, inputs, `taps`. Root attribute `wanted`: taps to compute.
void write_boundary(const golden::Golden& golden, const Plan& plan, const Route& route,
                    const replay::Recording& recording, const replay::Environment& taps,
                    const std::vector<std::string>& wanted, const std::filesystem::path& path);

/// Acts as an engine: reads a boundary file, runs the reference or an edited plan, and writes the wanted taps.
void answer_boundary(const replay::Evaluator& evaluator, const std::filesystem::path& in,
                     const std::filesystem::path& out);

}  // namespace parity::faults
