// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/planting.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "cases/backends.hpp"
#include "compare/goldens/golden_run.hpp"
#include "compare/judging/elements.hpp"
#include "compare/judging/verdict.hpp"
#include "compare/values/bits.hpp"
#include "faults/computed.hpp"

namespace parity::faults {
namespace {

compare::GoldenReport judged(const Fixture& fixture, const replay::Computation& computation, const std::string& word,
                             const compare::Observer& observe) {
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;  // first_divergence is about golden inputs
  options.candidate = compare::RunOptions::Candidate::computed;
  options.computed = word;
  options.compute = [&](const auto&, const auto&, const auto&) { return computation; };
  const bool reference = word.starts_with("fault:") || word == "reference";  // claims the oracle's rounding
  options.policy = reference ? compare::Policy::bits : compare::Policy::bounds;
  options.observe = observe;
  return compare::run_golden(fixture.golden(), options);
}

/// Returns the recorded taps whose span has an edited node.
std::set<std::string> touched(const replay::Computation& computation, const replay::TapSource& recorded) {
  std::set<std::string> taps;
  for (const replay::Span& span : replay::build_spans(computation.plan, recorded)) {
    const bool hit = std::any_of(span.nodes.begin(), span.nodes.end(), [&](int node) {
      return computation.edited.contains(
          replay::Computation::key_of(computation.plan.nodes[static_cast<size_t>(node)]));
    });
    if (hit) taps.insert(span.judged.begin(), span.judged.end());
  }
  return taps;
}

/// Returns the candidate without the fault. Nodes that the reference computes in the faulty one remain the reference's.
replay::Computation unfaulty(const Edited& edited, const replay::Computation& faulty, const Ground& ground) {
  Kernels kernels{ground.backend};
  std::set<std::string> fused;  // taps
  for (const replay::FusedChain& chain : faulty.chains) {
    fused.insert(chain.inner.begin(), chain.inner.end());
    fused.insert(chain.outputs.begin(), chain.outputs.end());
  }
  for (const std::string& node : edited.nodes) {
    if (!fused.contains(node)) kernels.apart.insert(node);
  }
  replay::Computation right = computation_of(unedited(ground.fixture.plan()), kernels,
                                             ground.fixture.golden().parameters(), ground.fixture.recording());
  for (const Node& node : faulty.plan.nodes) {
    if (faulty.edited.contains(node.prefix) && faulty.kernel_of(node) == nullptr)
      right.by_reference.insert(node.prefix);
  }
  right.edited = faulty.edited;
  return right;
}

/// Returns the outputs of edited nodes that differ from those of right nodes on equal inputs.
std::set<std::string> changed_taps(const replay::Computation& faulty, const replay::Computation& right,
                                   const replay::TapSource& recorded) {
  using replay::Execution;
  const auto wanted = [&](const std::string& tap) { return recorded.has(tap); };
  const Execution one(std::make_shared<const replay::Computation>(faulty), recorded, Execution::Mode::isolated, wanted);
  const Execution other(std::make_shared<const replay::Computation>(right), recorded, Execution::Mode::isolated,
                        wanted);
  std::set<std::string> changed;
  for (const Node& node : faulty.plan.nodes) {
    if (!faulty.edited.contains(replay::Computation::key_of(node))) continue;
    for (const auto& [field, output] : node.outputs) {
      if (!one.has(output.name) || !other.has(output.name)) continue;
      const Tensor a = one.read(output.name), b = other.read(output.name);
      const auto bytes = static_cast<size_t>(a.bytes());
      if (a.bytes() != b.bytes() || std::memcmp(a.view().data, b.view().data, bytes) != 0) changed.insert(output.name);
    }
  }
  return changed;
}

/// Returns the number of judged taps between the named tap and the nearest tap that the fault changes.
std::optional<int64_t> distance_to(const std::vector<compare::Record>& records, const std::string& named,
                                   const std::set<std::string>& changed) {
  const auto at = std::find_if(records.begin(), records.end(), [&](const auto& r) { return r.tap == named; });
  if (at == records.end()) return std::nullopt;
  std::optional<int64_t> nearest;
  for (auto record = records.begin(); record != records.end(); ++record) {
    if (!changed.contains(record->tap)) continue;
    const int64_t distance = at - record;
    if (!nearest || std::abs(distance) < std::abs(*nearest)) nearest = distance;
  }
  return nearest;
}

/// Skips records of taps that fail even without the fault, since they say nothing about it.
void forgive(const Ground& ground, compare::GoldenReport& report) {
  if (ground.alarmed.empty()) return;
  for (compare::Record& record : report.records) {
    if (ground.alarmed.contains(record.tap)) record.status = compare::Status::skipped;
  }
  report.verdict = compare::worst_status(report.records);
  report.first_divergence = compare::first_divergence(report.records);
}

void fill(const compare::GoldenReport& report, const std::set<std::string>& changed, Planting& planting) {
  planting.verdict = report.verdict;
  for (const compare::Record& record : report.records) {
    if (!changed.contains(record.tap)) continue;
    ++planting.changed;
    planting.right = planting.right && compare::is_green(record.status);
    if (record.deviation) planting.freedoms.insert(record.deviation->kind);
    planting.signal = std::max(planting.signal, signal_of(record));
    planting.effect = std::max(planting.effect, record.relative_error);
  }
  if (!report.first_divergence) return;
  planting.named = report.first_divergence->tap;
  planting.named_component = report.first_divergence->component;
  planting.distance = distance_to(report.records, planting.named, changed);
  for (const compare::Record& record : report.records) {
    if (record.tap == planting.named) planting.reason = record.reason.empty() ? record.where : record.reason;
  }
}

}  // namespace

double signal_of(const compare::Record& record) {
  if (record.status == compare::Status::error) return std::numeric_limits<double>::infinity();
  if (record.status != compare::Status::fail) return std::min(record.budget_used, 1.0);
  if (record.discrete) return std::numeric_limits<double>::infinity();
  const auto& bits = record.bit_equal;
  const auto total = static_cast<double>(std::max<int64_t>(bits.total, 1));
  const double unexplained = static_cast<double>(bits.total - bits.equal - bits.near_ties) / total;
  return std::max({record.budget_used, std::abs(record.bias.z) / compare::kSuspiciousBias,
                   unexplained * compare::kUnexplainedOneIn, (1.0 - bits.share()) * compare::kElsewhereOneIn, 1.0});
}

namespace {

/// Whether the first divergence names all nodes of a fused chain with the edited node.
bool names_chain(const compare::GoldenReport& report, const replay::Computation& faulty, const Edited& edited) {
  if (!report.first_divergence) return false;
  const auto fused = faulty.fused_nodes();
  const std::set<std::string> places(edited.places.begin(), edited.places.end());
  const auto named = std::find_if(report.records.begin(), report.records.end(),
                                  [&](const auto& record) { return record.tap == report.first_divergence->tap; });
  return named != report.records.end() && std::any_of(named->span.begin(), named->span.end(), [&](const auto& node) {
           return fused.contains(node) && places.contains(node);
         });
}

void plant_and_judge(const Edited& edited, const Ground& ground, const compare::Observer& observe, Planting& planting) {
  planting.places = static_cast<int64_t>(edited.places.size());
  planting.only_later = edited.only_later;
  const Fixture& fixture = ground.fixture;
  replay::Computation faulty =
      computation_of(edited, {ground.backend}, fixture.golden().parameters(), fixture.recording());
  const auto changes = [&] { return changed_taps(faulty, unfaulty(edited, faulty, ground), fixture.recording()); };
  std::set<std::string> changed;
  try {
    changed = changes();
  } catch (const Error&) {
    if (ground.backend.empty()) throw;
    faulty.by_reference.insert(edited.nodes.begin(), edited.nodes.end());  // no kernel accepts these operands
    changed = changes();
  }
  if (changed.empty()) return;
  faulty.only = touched(faulty, fixture.recording());
  auto report = judged(fixture, faulty, with_fault_word(ground.backend, planting.fault), observe);
  forgive(ground, report);
  fill(report, changed, planting);
  if (names_chain(report, faulty, edited)) planting.named_component = planting.component;
}

/// Whether the backend has a kernel of the fault's component. Other faults belong to the studies of the reference.
bool computes(const Ground& ground, const Fault& fault) {
  if (ground.backend.empty()) return true;
  return cases::kernels_of(cases::without_fused(ground.backend), ground.fixture.plan().working).find(fault.component) !=
         nullptr;
}

}  // namespace

Ground ground_of(const Fixture& fixture, const std::string& backend, const compare::Observer& observe) {
  const auto faultless =
      computation_of(unedited(fixture.plan()), {backend}, fixture.golden().parameters(), fixture.recording());
  const auto report = judged(fixture, faultless, backend, observe);
  Ground ground{fixture, backend, alarm_of(report), {}};
  for (const compare::Record& record : report.records) {
    const bool judged = record.status != compare::Status::skipped;
    if (judged && !compare::is_green(record.status)) ground.alarmed.insert(record.tap);
  }
  return ground;
}

Planting plant(const Fault& fault, const Ground& ground, const compare::Observer& observe) {
  Planting planting;
  planting.fault = fault.id;
  planting.component = fault.component;
  planting.fixture = ground.fixture.golden().folder().string();
  if (!computes(ground, fault)) return planting;
  try {
    const auto edited = applied(fault, ground.fixture.plan());
    if (edited) plant_and_judge(*edited, ground, observe, planting);
  } catch (const std::exception& error) {
    planting.places = std::max<int64_t>(planting.places, 1);
    planting.defect = error.what();
  }
  return planting;
}

}  // namespace parity::faults
