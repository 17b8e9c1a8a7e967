// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/battery.hpp"

#include <algorithm>
#include <atomic>

#include "cases/drawn/exact.hpp"
#include "cases/drawn/large.hpp"
#include "cases/native_case.hpp"
#include "cases/parallel.hpp"
#include "cases/reduced_case.hpp"
#include "cases/refused.hpp"
#include "cases/tiles.hpp"
#include "compare/values/divergent_values.hpp"
#include "core/found_error.hpp"

namespace parity::cases {

CaseKernel with_kernels(const std::string& backend, const FindKernel& find) {
  const auto run = [=](const DrawnCase& drawn, const replay::Evaluator&) {
    const NativeKernel kernel = find(drawn.spec.component, drawn.spec.working);
    PARITY_CHECK(kernel.entry != nullptr, unsupported, "backend {} has no kernel of {} in {}; see parity list kernels",
                 backend, drawn.spec.component, to_string(drawn.spec.working));
    return run_native(drawn, *kernel.entry, *kernel.definition);
  };
  return {run, true, compare::Policy::bits, {}, true};
}

CaseKernel with_backend(const std::string& backend) {
  require(backend);
  return with_kernels(backend, [backend](const std::string& component, DType working) {
    return native_kernel(backend, component, working);
  });
}

compare::Record worst_record(const CaseSpec& spec, const CaseKernel& kernel) {
  compare::Record worst;
  try {
    for (compare::Record& record : judge_case(draw_case(spec), kernel)) {
      if (is_wrong(record)) return record;
      if (worst.tap.empty() || record.status == compare::Status::mistrusted) worst = std::move(record);
    }
    return worst;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unsupported) throw;
    worst.status = compare::Status::error;
    worst.reason = error.what();
    if (const auto* found = dynamic_cast<const FoundError*>(&error)) {
      worst.found = found->headline();
      worst.findings = found->findings();
    }
  }
  worst.component = spec.component;
  return worst;
}

std::optional<compare::ValueMatch> values_of(const CaseSpec& spec, const CaseKernel& kernel, const std::string& tap) {
  const DrawnCase drawn = draw_case(spec);
  std::optional<compare::ValueMatch> match;
  const auto observe = [&](const replay::Finding& finding, const compare::Values* values) {
    if (finding.tap == tap)
      match = compare::match_finding(finding, values, drawn.plan.sizes_of(*finding.outcome->node), {}, kernel.native);
  };
  static_cast<void>(judge_case(drawn, kernel, observe));
  return match;
}

bool is_wrong(const compare::Record& record) {
  return record.status != compare::Status::pass && record.status != compare::Status::mistrusted;
}

namespace {

std::vector<Lane> lanes_of(const std::string& component, DType working, std::vector<Lane> lanes) {
  if (!no_exact_cases(component, working).empty()) std::erase(lanes, Lane::exact);
  std::erase(lanes, Lane::large);
  return lanes;
}

/// Returns the number of cases in the lane large for each type. They are additional to the other cases.
int64_t large_cases(const std::string& component, const BatteryOptions& options) {
  const bool asked = std::find(options.lanes.begin(), options.lanes.end(), Lane::large) != options.lanes.end();
  return asked && no_large_cases(component).empty() ? options.large : 0;
}

/// Returns a case for each tile and type.
std::vector<CaseSpec> across_tiles(const std::string& component, const BatteryOptions& options) {
  const bool asked = std::find(options.lanes.begin(), options.lanes.end(), Lane::boundary) != options.lanes.end();
  std::vector<CaseSpec> specs;
  if (!options.tiles || !asked) return specs;
  for (const Tile& tile : tiles()) {
    if (tile.component != component) continue;
    for (const DType working : options.types) specs.push_back(case_across(tile, working));
  }
  return specs;
}

/// Returns the lane of a case: the first lane for half of the cases, the others in turn.
Lane lane_of(int64_t index, int64_t cases, const std::vector<Lane>& lanes) {
  const int64_t first = (cases + 1) / 2, others = static_cast<int64_t>(lanes.size()) - 1;
  return others == 0 || index < first ? lanes.front() : lanes[static_cast<size_t>(1 + (index - first) % others)];
}

/// Adds a case that ran as `spec` and was drawn as `drawn`.
void count(const CaseSpec& spec, const CaseSpec& drawn, const compare::Record& record, bool tile,
           BatteryResult& battery) {
  const bool changed = spec.given != drawn.given;
  ++battery.cases;
  ++battery.cases_in[static_cast<size_t>(spec.lane)];
  battery.changed += changed ? 1 : 0;
  battery.tiles += tile && !changed ? 1 : 0;
  battery.mistrusted += record.status == compare::Status::mistrusted ? 1 : 0;
  if (!is_wrong(record)) return;
  ++battery.failed;
  ++battery.failed_in[static_cast<size_t>(spec.lane)];
}

CaseFailure as_drawn(const CaseSpec& spec, const CaseKernel& kernel, const compare::Record& found) {
  return {spec, spec, found.where, text_of(draw_case(spec), kernel), found};
}

}  // namespace

BatteryResult run_battery(const std::string& component, const CaseKernel& kernel, const BatteryOptions& options) {
  PARITY_CHECK(options.cases > 0, usage, "--cases {} is too small; use 1 or more", options.cases);
  const auto types = static_cast<int64_t>(options.types.size());
  const std::vector<CaseSpec> tiled = across_tiles(component, options);
  const int64_t drawn = options.cases * types, counted = drawn + large_cases(component, options) * types;
  const int64_t total = counted + static_cast<int64_t>(tiled.size());
  const auto lanes = [&](int64_t index) {
    return lanes_of(component, options.types[static_cast<size_t>(index % types)], options.lanes);
  };
  const auto spec_of = [&](int64_t index) {
    if (index >= counted) return tiled[static_cast<size_t>(index - counted)];
    return CaseSpec{component,
                    options.types[static_cast<size_t>(index % types)],
                    index >= drawn ? Lane::large : lane_of(index / types, options.cases, lanes(index)),
                    case_seed(SeedUse::gate, options.seed, index),
                    {}};
  };
  std::vector<std::optional<compare::Record>> records(static_cast<size_t>(total));
  std::vector<std::optional<CaseSpec>> specs(static_cast<size_t>(total));  // as they ran
  std::atomic<size_t> done{0};
  std::atomic<int64_t> skipped{0};
  std::atomic<bool> enough{false};
  in_parallel(options.threads, total, [&](int64_t index) {
    if ((index / types) % options.shards != options.shard) return;
    if (enough || (index < drawn && lanes(index).empty())) return;
    std::optional<CaseSpec> spec = spec_of(index);
    if (options.wanted && !options.wanted(*spec)) return;
    if (kernel.fitted) spec = kernel.fitted(*spec);
    if (!spec) ++skipped;
    if (!spec) return;
    specs[static_cast<size_t>(index)] = spec;
    try {
      records[static_cast<size_t>(index)] = worst_record(*spec, kernel);
    } catch (const Refused&) {
      ++skipped;
      return;
    }
    if (options.brief && is_wrong(*records[static_cast<size_t>(index)])) enough = true;
    if (options.progress) options.progress(++done, static_cast<size_t>(std::max<int64_t>(total / options.shards, 1)));
  });
  BatteryResult battery;
  battery.component = component;
  battery.skipped = skipped;
  for (int64_t index = 0; index < total; ++index) {
    const auto& record = records[static_cast<size_t>(index)];
    if (record) count(*specs[static_cast<size_t>(index)], spec_of(index), *record, index >= counted, battery);
  }
  if (battery.failed == 0) return battery;
  const size_t telling = most_telling(
      records, [&](size_t index) { return values_of(*specs[index], kernel, records[index]->tap).has_value(); });
  const CaseSpec& spec = *specs[telling];
  const compare::Record& record = *records[telling];
  battery.first = options.brief ? as_drawn(spec, kernel, record) : reduced_case(spec, kernel, record);
  return battery;
}

}  // namespace parity::cases
