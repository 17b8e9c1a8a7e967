// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/captures/capture_damage_parts.hpp"

namespace parity::faults {

/// Replaces the tokens, as if the engine had been given another prompt.
CapturePlace other_tokens(CaptureContents& contents, Draws& draws) {
  CapturePaths paths;
  for (const auto& [path, tap] : contents.datasets) {
    if (path.ends_with("tokens/input_ids")) paths.push_back(path);
  }
  const CapturePlace path = drawn(paths, draws);
  if (!path) return path;
  Tensor& ids = contents.datasets.at(*path).values;
  ids = convert(ids.view(), ids.dtype());
  const int64_t at = draws.below(ids.view().count());
  ids.i64()[at] = ids.i64()[at] == 0 ? 1 : 0;
  return path;
}

/// Exchanges two whole calls, so that each has the taps of the other.
CapturePlace exchange_calls(CaptureContents& contents, Draws& draws) {
  CapturePaths calls;
  for (const auto& [group, attributes] : contents.groups) {
    if (attributes.contains("kind") && attributes.at("kind") != "cache") calls.push_back(group);
  }
  if (calls.size() < 2) return std::nullopt;
  const auto one = static_cast<size_t>(draws.below(static_cast<int64_t>(calls.size())));
  const size_t other = (one + 1) % calls.size();
  bool any = false;
  for (auto& [path, tap] : contents.datasets) {
    if (!tap.output || !path.starts_with(calls[one])) continue;
    const auto that = contents.datasets.find(calls[other] + path.substr(calls[one].size()));
    if (that == contents.datasets.end()) continue;
    std::swap(tap.values, that->second.values);
    any = any || !tap.values.empty();
  }
  return any ? CapturePlace(calls[one] + " and " + calls[other]) : std::nullopt;
}

CapturePlace rename_call(CaptureContents& contents, Draws&) {
  CapturePaths paths;
  for (const auto& [path, tap] : contents.datasets) {
    if (path.starts_with("steps/000/")) paths.push_back(path);
  }
  if (paths.empty()) return std::nullopt;
  for (const std::string& path : paths)
    rename(contents, path, "steps/077" + path.substr(std::string("steps/000").size()));
  return "steps/000 as steps/077";
}

}  // namespace parity::faults
