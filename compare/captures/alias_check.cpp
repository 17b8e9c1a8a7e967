// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/alias_check.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "core/text.hpp"

namespace parity::compare {
namespace {

/// Returns a tap without its layer: "steps/000/text/x" for "steps/000/text/layers/03/x". Empty outside the layers.
std::string without_layer(const std::string& tap) {
  constexpr std::string_view kLayers = "/layers/";
  const size_t at = tap.find(kLayers);
  if (at == std::string::npos) return {};
  const size_t end = tap.find('/', at + kLayers.size());
  return tap.substr(0, at) + tap.substr(end);
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

/// Whether two tensors have equal values. They are widened first if a capture stores them in different types.
bool same_values(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() ? same_bytes(a, b) : same_bytes(widen(a), widen(b));
}

bool varied(const TensorView& view) {
  for (int64_t i = 1; i < view.count(); ++i) {
    if (view.value(i) != view.value(0)) return true;
  }
  return false;
}

void check_copy(const std::string& alias, const Tensor& copy, const std::string& tap, const replay::TapSource& judged,
                GoldenReport& report) {
  const Plan& plan = judged.plan();
  Record record;
  record.tap = alias;
  const int producer = plan.tap(tap).producer;
  record.component = producer < 0 ? "input" : plan.nodes[static_cast<size_t>(producer)].component;
  record.backend = report.candidate;
  record.dtype = copy.dtype();
  record.axes = copy.view().axes;
  record.shape = copy.shape();
  record.elements = copy.view().count();
  if (!same_values(copy, judged.read(tap))) {
    record.status = Status::fail;
    record.failed = record.elements;
    record.budget_used = std::numeric_limits<double>::infinity();
    record.reason = fmt::format("the values differ from those of {}, although both are names of the same tensor", tap);
  }
  report.records.push_back(std::move(record));
}

/// Returns the tap's values if they can reveal a stale copy. A tap that may equal another by chance gives nullopt.
std::optional<Tensor> telling(const replay::TapSource& judged, const std::string& tap) {
  constexpr int64_t kFewest = 64;  // bytes; two smaller taps may be equal by chance
  if (!judged.has(tap)) return std::nullopt;
  Tensor tensor = judged.read(tap);
  if (tensor.bytes() < kFewest || !varied(tensor.view())) return std::nullopt;
  return tensor;
}

/// Returns the name that a tap has in every call and layer: "text/layers/x" for "steps/000/text/layers/03/x".
std::string without_place(const std::string& tap) {
  constexpr std::string_view kSteps = "steps/";
  const std::string inner = without_layer(tap).empty() ? tap : without_layer(tap);
  return inner.starts_with(kSteps) ? inner.substr(std::min(inner.size(), inner.find('/', kSteps.size()))) : inner;
}

/// Returns a tap of the same name in another call or layer that has the bytes of `tensor`, or nullopt.
std::optional<std::string> same_elsewhere(const std::string& tap, const Tensor& tensor,
                                          const replay::TapSource& judged) {
  for (const auto& [other, info] : judged.plan().taps) {
    if (other == tap || without_place(other) != without_place(tap) || !judged.has(other)) continue;
    if (same_bytes(tensor, judged.read(other))) return other;
  }
  return std::nullopt;
}

/// Notes in each failing record that its tap has the bytes of another call or layer: it may not have been recomputed.
void name_stale_copies(const replay::TapSource& judged, std::vector<Record>& records) {
  for (Record& record : records) {
    if (record.status != Status::fail || !is_float(record.dtype)) continue;
    const auto tensor = telling(judged, record.tap);
    if (!tensor) continue;
    const auto source = same_elsewhere(record.tap, *tensor, judged);
    if (!source) continue;
    record.reason += fmt::format("{}has the same bytes as {}, so it may be a stale copy",
                                 record.reason.empty() ? "" : "; ", *source);
  }
}

}  // namespace

void check_aliases(const replay::Recording& recording, const replay::TapSource& judged, const std::string& select,
                   GoldenReport& report) {
  for (const auto& [alias, tap] : recording.plan().aliases) {
    const golden::DatasetInfo* dataset = recording.file().find(alias);
    const bool copy = dataset != nullptr && dataset->alias_of.empty() && judged.has(tap) && recording.has(tap) &&
                      recording.dataset(tap) != alias;
    if (copy && glob_match(select, alias)) check_copy(alias, recording.file().read(alias), tap, judged, report);
  }
}

void check_stale_copies(const replay::TapSource& judged, GoldenReport& report) {
  name_stale_copies(judged, report.records);
  std::map<std::string, std::string> seen;  // key: tap without layer, and digest; value: the first tap
  for (Record& record : report.records) {
    const std::string key = without_layer(record.tap);
    const bool candidate =
        record.mode == Mode::isolated && record.status == Status::pass && is_float(record.dtype) && !key.empty();
    const auto tensor = candidate ? telling(judged, record.tap) : std::nullopt;
    if (!tensor) continue;
    const std::string_view bytes(reinterpret_cast<const char*>(tensor->view().data),
                                 static_cast<size_t>(tensor->bytes()));
    const auto [first, fresh] =
        seen.emplace(fmt::format("{} {:x}", key, std::hash<std::string_view>{}(bytes)), record.tap);
    if (fresh) continue;
    record.status = Status::mistrusted;
    record.reason = fmt::format("has the same bytes as {}, so it may be a stale copy", first->second);
  }
}

}  // namespace parity::compare
