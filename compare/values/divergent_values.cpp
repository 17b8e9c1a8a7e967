// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/divergent_values.hpp"

#include <algorithm>
#include <set>

#include "compare/captures/capture_facts.hpp"
#include "replay/captures/golden_plan.hpp"

namespace parity::compare {
namespace {

std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> numbers(static_cast<size_t>(tensor.view().count()));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = tensor.view().value(static_cast<int64_t>(i));
  return numbers;
}

/// Sorts the ids of each row, so that rows can be compared slot by slot: near-ties decide the slots' order.
void sort_rows(std::vector<double>& ids, const Shape& shape) {
  const auto width = static_cast<size_t>(shape.empty() ? 1 : std::max<int64_t>(shape.back(), 1));
  for (size_t row = 0; row + width <= ids.size(); row += width)
    std::sort(ids.begin() + static_cast<int64_t>(row), ids.begin() + static_cast<int64_t>(row + width));
}

/// Accepts each row of `got` that equals the exact choice, by copying it to `expected`.
void accept_rows(const std::vector<double>& got, const std::vector<double>& choice, size_t width,
                 std::vector<double>& expected) {
  if (choice.size() != got.size() || width == 0) return;
  for (size_t row = 0; row + width <= got.size(); row += width) {
    const auto first = static_cast<int64_t>(row), count = static_cast<int64_t>(width);
    if (std::equal(got.begin() + first, got.begin() + first + count, choice.begin() + first))
      std::copy_n(got.begin() + first, width, expected.begin() + first);
  }
}

/// Judged ids with the expected ones. If `sorted`, the order of the slots is ignored.
struct Ids {
  std::vector<double> got, expected;
};

Ids ids_of(const replay::Finding& finding, bool sorted) {
  const replay::Outcome& outcome = *finding.outcome;
  const Shape& shape = finding.recorded.shape();
  Ids ids{numbers_of(finding.recorded), numbers_of(outcome.outputs.at(finding.field).rounded)};
  const auto own = outcome.own.find(finding.field);
  std::vector<double> choice = own == outcome.own.end() ? std::vector<double>() : numbers_of(own->second);
  if (sorted) {
    for (std::vector<double>* rows : {&ids.got, &ids.expected, &choice}) sort_rows(*rows, shape);
  }
  if (!choice.empty() && !shape.empty()) accept_rows(ids.got, choice, static_cast<size_t>(shape.back()), ids.expected);
  return ids;
}

bool any_order(const replay::Finding& finding) {
  const auto output = static_cast<size_t>(finding.outcome->definition->output_index(finding.field));
  return finding.outcome->definition->outputs[output].judge == Judge::expert_set;
}

std::optional<ValueMatch> match_ids(const replay::Finding& finding, ValueQuery query) {
  const std::vector<double> allowed(static_cast<size_t>(query.count), 0.0);
  const bool choice = finding.outcome->own.contains(finding.field);
  for (const bool sorted : {false, true}) {
    if (sorted ? !choice : any_order(finding)) continue;
    const Ids ids = ids_of(finding, sorted);
    if (ids.expected.size() != ids.got.size()) return std::nullopt;
    query.got = ids.got.data();
    query.exact = query.rounded = ids.expected.data();
    query.allowed = allowed.data();
    if (auto match = match_values(query)) return match;
  }
  return std::nullopt;
}

/// Returns the name that `tap` shares with every call and layer: "steps/*/text/layers/*/x".
std::string family_of(const std::string& tap) {
  std::string family;
  bool counted = false;
  for (size_t start = 0; start <= tap.size();) {
    const size_t end = std::min(tap.find('/', start), tap.size());
    const std::string part = tap.substr(start, end - start);
    family += (counted ? std::string("*") : part) + "/";
    counted = part == "steps" || part == "layers";
    start = end + 1;
  }
  return family;
}

/// Returns the tap of the same name in other calls and layers.
std::vector<OtherTensor> relatives_of(const std::string& tap, const Plan& plan, const replay::Recording& recording) {
  std::vector<OtherTensor> result;
  const TapInfo& own = plan.tap(tap);
  const std::string family = family_of(tap);
  for (const auto& [name, info] : plan.taps) {
    if (name == tap || info.shape != own.shape || info.type != own.type || !recording.has(name)) continue;
    if (family_of(name) != family) continue;
    result.push_back({OtherTensor::Role::recorded, name, [&recording, name = name] { return recording.read(name); }});
  }
  return result;
}

const Record* failing_record(const GoldenReport& report) {
  const std::string& tap = report.first_divergence->tap;
  for (const Record& record : report.records) {
    // The walk reports ids that no kernel can use as an error, but only after they were recorded.
    if (record.tap == tap && (record.status == Status::fail || record.status == Status::error)) return &record;
  }
  return nullptr;
}

}  // namespace

std::vector<OtherTensor> inputs_of(const replay::Finding& finding, const AxisSizes& sizes) {
  std::vector<OtherTensor> result;
  const int64_t count = finding.recorded.view().count();
  for (const auto& [field, value] : finding.outcome->inputs) {
    if (value->rounded.empty() || value->rounded.view().count() != count) continue;
    const std::string& name = finding.outcome->node->inputs.at(field).front().name;
    const Tensor tensor = value->rounded;
    result.push_back({OtherTensor::Role::input, name, [tensor] { return tensor; }});
    const std::string axes = finding.recorded.view().axes;
    if (tensor.view().axes == axes || tensor.view().axes.empty()) continue;
    result.push_back({OtherTensor::Role::input, name, [tensor, axes, sizes] {
                        try {
                          return copied_as(tensor.view(), axes, sizes);
                        } catch (const Error&) {  // the other tap has other axes
                          return Tensor();
                        }
                      }});
  }
  return result;
}

std::optional<ValueMatch> match_finding(const replay::Finding& finding, const Values* values, const AxisSizes& sizes,
                                        std::vector<OtherTensor> others, bool marked) {
  const TensorView& recorded = finding.recorded.view();
  ValueQuery query{};
  query.count = recorded.count();
  query.dtype = recorded.dtype;
  query.axes = recorded.axes;
  query.shape = recorded.shape;
  query.sizes = sizes;
  query.others = inputs_of(finding, sizes);
  query.others.insert(query.others.end(), others.begin(), others.end());
  if (query.count == 0) return std::nullopt;
  if (values == nullptr) return match_ids(finding, query);
  const Tolerance tolerance(*values);
  std::vector<double> allowed(static_cast<size_t>(query.count));
  for (int64_t i = 0; i < query.count; ++i) allowed[static_cast<size_t>(i)] = tolerance.at(i);
  if (marked) query.marked = &recorded;
  query.got = values->got;
  query.exact = values->exact;
  query.rounded = values->rounded;
  query.allowed = allowed.data();
  return match_values(query);
}

std::optional<ValueMatch> divergent_values(const golden::Golden& golden, const RunOptions& options,
                                           const GoldenReport& report) {
  if (!report.first_divergence) return std::nullopt;
  const Record* record = failing_record(report);
  if (record == nullptr || options.candidate == RunOptions::Candidate::reference) return std::nullopt;
  RunOptions again = options;
  again.mode = record->mode;
  again.select = record->tap;
  again.progress = nullptr;
  again.save.clear();
  std::optional<golden::ActivationFile> capture;
  if (options.candidate == RunOptions::Candidate::capture) capture = golden::ActivationFile::open(options.capture);
  const golden::ActivationFile& file = capture ? *capture : golden.activations();
  const Implementation implementation = capture ? implementation_of(golden, *capture) : implementation_of(golden);
  const Plan plan = replay::plan_of(golden, options.profile, planned_attention(golden, implementation));
  const replay::Recording recording(file, plan);
  std::optional<ValueMatch> match;
  again.observe = [&](const replay::Finding& finding, const Values* values) {
    if (finding.tap != record->tap || match) return;
    match = match_finding(finding, values, plan.sizes_of(*finding.outcome->node),
                          relatives_of(finding.tap, plan, recording));
  };
  static_cast<void>(run_golden(golden, again));
  return match;
}

}  // namespace parity::compare
