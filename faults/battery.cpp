// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/battery.hpp"

#include <algorithm>
#include <atomic>

#include "faults/edit.hpp"
#include "faults/made.hpp"
#include "faults/parallel.hpp"
#include "faults/reduce.hpp"

namespace parity::faults {

bool has_place(const Fault& fault, const CaseSpec& spec) {
  try {
    return applied(fault, draw_case(spec).plan).has_value();
  } catch (const Error&) {  // an edit that reads other nodes
    return false;
  }
}

CaseKernel with_fault(const Fault& fault) {
  return {[fault](const DrawnCase& drawn, const replay::Evaluator& right) {
    const auto edited = applied(fault, drawn.plan);
    if (!edited) return rounded_outputs(drawn, right);
    const EditedWeights misread(drawn.weights, edited->weights);
    return rounded_outputs(drawn, replay::Evaluator(*edited->registry, edited->plan, misread));
  }};
}

CaseKernel with_backend(const std::string& backend) {
  const auto run = [backend](const DrawnCase& drawn, const replay::Evaluator&) {
    const auto native = native_backend(backend, drawn.plan.working);
    return rounded_outputs(drawn, replay::Evaluator(*native.registry, drawn.plan, drawn.weights));
  };
  return {run, true};
}

std::optional<compare::Record> failing_record(const CaseSpec& spec, const CaseKernel& kernel) {
  try {
    for (const compare::Record& record : judge_case(draw_case(spec), kernel)) {
      if (record.status != compare::Status::pass && record.status != compare::Status::mistrusted) return record;
    }
    return std::nullopt;
  } catch (const Error& error) {
    compare::Record record;
    record.component = spec.component;
    record.status = compare::Status::error;
    record.reason = error.what();
    return record;
  }
}

namespace {

Lane lane_of(int64_t index, int64_t cases) {
  if (index < (cases + 1) / 2) return Lane::boundary;
  return index % 2 == 0 ? Lane::anywhere : Lane::special;
}

CaseFailure reduce(const CaseSpec& spec, const CaseKernel& kernel, const std::string& tap) {
  CaseSpec smallest = spec;
  smallest.most = reduced(draw_case(spec).drawn, [&](const AxisSizes& most) {
    CaseSpec smaller = spec;
    smaller.most = most;
    const auto record = failing_record(smaller, kernel);
    return record && record->tap == tap;  // the same output: another failure would be another case
  });
  return {smallest, spec, draw_case(smallest).text(), *failing_record(smallest, kernel)};
}

}  // namespace

BatteryResult run_battery(const std::string& component, const CaseKernel& kernel, const BatteryOptions& options) {
  PARITY_CHECK(options.cases > 0, usage, "{} cases prove nothing; ask for at least 1", options.cases);
  const auto types = static_cast<int64_t>(options.types.size());
  const int64_t total = options.cases * types;
  const auto spec_of = [&](int64_t index) {
    return CaseSpec{component,
                    options.types[static_cast<size_t>(index % types)],
                    lane_of(index / types, options.cases),
                    case_seed(SeedUse::gate, options.seed, index),
                    {}};
  };
  std::vector<std::optional<compare::Record>> records(static_cast<size_t>(total));
  std::atomic<size_t> done{0};
  std::atomic<int64_t> cases{0};
  in_parallel(options.threads, total, [&](int64_t index) {
    const CaseSpec spec = spec_of(index);
    if (options.wanted && !options.wanted(spec)) return;
    ++cases;
    records[static_cast<size_t>(index)] = failing_record(spec, kernel);
    if (options.progress) options.progress(++done, static_cast<size_t>(total));
  });
  BatteryResult battery{component, cases, 0, {}, {}};
  for (int64_t index = 0; index < total; ++index) {
    const auto& record = records[static_cast<size_t>(index)];
    if (!record) continue;
    ++battery.failed;
    ++battery.failed_in[static_cast<size_t>(spec_of(index).lane)];
    if (!battery.first) battery.first = reduce(spec_of(index), kernel, record->tap);
  }
  return battery;
}

}  // namespace parity::faults
