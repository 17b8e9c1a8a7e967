// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "core/shell.hpp"
#include "faults/catalogue.hpp"
#include "faults/engines/boundary.hpp"
#include "faults/engines/engine_bisect.hpp"
#include "faults/studies/fixture.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

/// Whether all taps of layers in `file` are outputs of whole layers; many engines start and stop only there.
bool between_layers(const golden::ActivationFile& file) {
  bool inside = false, given = false;
  for (const golden::DatasetInfo& info : file.datasets()) {
    if (!info.alias_of.empty() || info.path.find("/layers/") == std::string::npos) continue;
    given = true;
    // The output of a layer is "layers/03/out"; a tap inside the layer is "layers/03/moe/out".
    const std::string below = info.path.substr(info.path.rfind("/layers/") + 8);
    inside = inside || std::count(below.begin(), below.end(), '/') != 1 || !below.ends_with("/out");
  }
  return !given || !inside;
}

std::string command_of(const BisectOptions& options, const std::string& node) {
  return fmt::format("parity bisect {} --engine {}{}{} --probe {}", shell_quoted(options.golden),
                     shell_quoted(options.engine), options.end.empty() ? "" : " --end " + shell_quoted(options.end),
                     options.stop ? " --stop" : "", shell_quoted(node));
}

void print_probe(const BisectOptions& options, const faults::BisectProbe& probe, const std::string& node) {
  fmt::print("  engine run {} {}: error {:>8} times the effect of rounding  {}\n", options.stop ? "up to" : "from",
             node, reports::number(probe.deviation), probe.wrong ? "wrong" : "right");
}

int probe_once(const BisectOptions& options, const faults::Fixture& fixture, const faults::Engine& engine,
               const faults::EngineOptions& how, ProgressBar& bar) {
  const auto probe =
      faults::probe_engine(engine, fixture.golden(), fixture.plan(), fixture.recording(), how, options.probe);
  bar.pause();
  if (!probe) fmt::print("the engine cannot start or stop at node {}\n", options.probe);
  if (!probe) return nothing_ran;
  print_probe(options, *probe, options.probe);
  return probe->wrong ? broken : holds;
}

}  // namespace

int bisect_engine(const BisectOptions& options) {
  ProgressBar bar("looking for the faulty node", options.quiet);
  const faults::Fixture fixture(options.golden);
  const faults::Engine engine{options.engine, options.timeout_s};
  const faults::EngineOptions how{options.stop ? faults::Share::first : faults::Share::rest, options.end, options.keep};
  if (!options.probe.empty()) return probe_once(options, fixture, engine, how, bar);
  const auto found = faults::bisect_engine(engine, fixture.golden(), fixture.plan(), fixture.recording(), how);
  bar.pause();
  fmt::print("{} nodes compute {}\n", found.nodes, found.end);
  for (const auto& [probe, node] : found.probes) print_probe(options, probe, node);
  for (const std::string& node : found.refused) fmt::print("  the engine cannot start or stop at node {}\n", node);
  if (found.where.empty()) {
    fmt::print("the compared output is right\n");
    return holds;
  }
  const char* which = options.stop ? "first" : "last";
  if (found.where.size() == 1) {
    fmt::print("{} faulty node: {}\n", which, found.where.front());
  } else {
    fmt::print("the {} faulty node is one of these {}, between which the engine cannot start or stop:\n", which,
               found.where.size());
    for (const std::string& node : found.where) fmt::print("  {}\n", node);
  }
  std::string node = found.probes.front().second;  // becomes that of the last wrong probe
  for (const auto& [probe, name] : found.probes) {
    if (probe.wrong) node = name;
  }
  fmt::print("repro {}\n", command_of(options, node));
  return broken;
}

namespace {

int answer(const EngineOptions& options) {
  const auto file = golden::ActivationFile::open(options.in);
  constexpr int kCannotStart = faults::kRefused;
  if (options.layers_only && !between_layers(file)) return kCannotStart;
  const faults::Fixture fixture(options.golden);
  faults::Edited edited = faults::unedited(fixture.plan());
  if (!options.fault.empty()) {
    faults::Fault fault = faults::find_fault(options.fault);
    if (!options.at.empty()) fault.at = {options.at};
    const auto planted = faults::applied(fault, fixture.plan());
    PARITY_CHECK(planted.has_value(), usage,
                 "the model of {} has no node in which fault {} can be planted; see parity list faults", options.golden,
                 options.fault);
    edited = *planted;
  }
  const faults::EditedWeights weights(fixture.golden().parameters(), edited.weights);
  faults::answer_boundary({*edited.registry, edited.plan, weights}, options.in, options.out);
  return holds;
}

}  // namespace

/// Runs the reference as an engine. A damaged golden must not give 3 here: from an engine 3 means "cannot start there".
int engine(const EngineOptions& options) {
  try {
    return answer(options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage || error.code() == ErrorCode::internal) throw;
    throw Error(ErrorCode::unsupported, error.what());
  }
}

}  // namespace parity::cli
