// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds the wrong node of an engine that can only continue from given taps, in about log2(n) runs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "faults/engines/bisect.hpp"
#include "faults/engines/boundary.hpp"
#include "faults/engines/engine.hpp"

namespace parity::faults {

/// The part of the plan that the engine computes.
enum class Share : uint8_t {
  rest,   // from the cut to the end: finds the last faulty node
  first,  // from the tokens to the cut: finds the first faulty node
};

struct EngineOptions {
  Share share = Share::rest;
  std::string end;             // tap to compare; empty: the first call's last output of continuous values
  std::filesystem::path keep;  // folder that keeps IN and OUT of each probe; empty: none are kept
};

/// Returns the engine's deviation at a cut, or nullopt if the engine refuses the cut.
using ProbeAt = std::function<std::optional<double>(int64_t cut)>;

struct Located {
  int64_t low = 0, high = 0;        // the faulty node is in [low, high) of the route
  std::vector<BisectProbe> probes;  // `taken` is the cut
  std::vector<int64_t> refused;
};

/// Number of consecutive refusals inside one layer after which no further cut of the layer is tried, because each try
/// costs a start of the engine.
constexpr int kPatience = 3;

/// Locates the fault by the cuts in `coarse`, then by those between. At the cut `whole`, 0 or `nodes`, the engine runs
/// all; if that is right, low == high. Skips refused cuts; Error{usage} if `whole` is refused.
[[nodiscard]] Located locate(int64_t nodes, const std::vector<int64_t>& coarse, int64_t whole, const ProbeAt& probe);

struct EngineBisection {
  std::string end;
  int64_t nodes = 0;               // number of nodes that the compared output depends on
  std::vector<std::string> where;  // "prefix (component)" of nodes that may be faulty; empty: the end is right
  std::vector<std::pair<BisectProbe, std::string>> probes;  // with the node after the cut
  std::vector<std::string> refused;                         // nodes before which the engine refuses to start
};

/// Runs the bisection. Error{unsupported} names the engine's fault: its exit code, a missing tap, a wrong shape.
[[nodiscard]] EngineBisection bisect_engine(const Engine& engine, const golden::Golden& golden, const Plan& plan,
                                            const replay::Recording& recording, const EngineOptions& options);

/// Returns the deviation at the cut before `node`, or nullopt if the engine refuses it. Used by repro lines.
[[nodiscard]] std::optional<BisectProbe> probe_engine(const Engine& engine, const golden::Golden& golden,
                                                      const Plan& plan, const replay::Recording& recording,
                                                      const EngineOptions& options, const std::string& node);

}  // namespace parity::faults
