// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which node of an engine is wrong, when it offers only what it makes of a boundary: some log2(n) of its runs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "faults/engines/bisect.hpp"
#include "faults/engines/boundary.hpp"
#include "faults/engines/engine.hpp"

namespace parity::faults {

/// What the engine does of the plan.
enum class Share : uint8_t {
  rest,   // starts at the cut, makes the end: names the last faulty node
  first,  // starts at the tokens, stops at the cut: names the first
};

struct EngineOptions {
  Share share = Share::rest;
  std::string end;             // a tap; empty: the last output of continuous values of the first call
  std::filesystem::path keep;  // folder for IN and OUT of each probe; empty: they are removed
};

/// Nothing when the engine refuses the cut, else how far off it is.
using ProbeAt = std::function<std::optional<double>(int64_t cut)>;

struct Located {
  int64_t low = 0, high = 0;        // the faulty node is one of [low, high) of the route
  std::vector<BisectProbe> probes;  // `taken`: the cut
  std::vector<int64_t> refused;
};

/// An engine that refuses so many cuts inside a layer one after another is asked no more: each costs it a start.
constexpr int kPatience = 3;

/// Cuts of `coarse` first, then the others in between. `whole`: the cut at which the engine does everything, 0 or `nodes`;
/// nothing wrong there: low == high. Refused cuts are left out; Error{usage} when it refuses the whole.
[[nodiscard]] Located locate(int64_t nodes, const std::vector<int64_t>& coarse, int64_t whole, const ProbeAt& probe);

struct EngineBisection {
  std::string end;
  int64_t nodes = 0;  // on which the compared output depends
  std::vector<std::string>
      where;  // "prefix (component)" of the nodes that may be the faulty one; empty: the end is right
  std::vector<std::pair<BisectProbe, std::string>> probes;  // with the node after the cut
  std::vector<std::string> refused;                         // nodes before which the engine cannot start
};

/// Error{schema} names what is wrong with the engine: its exit, a missing tap, a wrong shape.
[[nodiscard]] EngineBisection bisect_engine(const Engine& engine, const golden::Golden& golden, const Plan& plan,
                                            const replay::Recording& recording, const EngineOptions& options);

/// The deviation at one cut, named by the node after it; nothing: refused. For repro lines.
[[nodiscard]] std::optional<BisectProbe> probe_engine(const Engine& engine, const golden::Golden& golden,
                                                      const Plan& plan, const replay::Recording& recording,
                                                      const EngineOptions& options, const std::string& node);

}  // namespace parity::faults
