// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "faults/captures/capture_damage_parts.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::faults {
namespace {

template <size_t N>
CapturePlace set_root(CaptureContents& contents, const char* const (&values)[N], const char* name, Draws& draws) {
  const char* value = values[static_cast<size_t>(draws.below(static_cast<int64_t>(N)))];
  contents.root[name] = value;
  return fmt::format("{} = '{}'", name, value);
}

}  // namespace

CapturePlace other_golden(CaptureContents& contents, Draws& draws) {
  constexpr const char* kNames[] = {"golden", "golden_sha256", "seed"};
  constexpr const char* kValues[] = {"4711", "another"};
  return set_root(contents, kValues, kNames[static_cast<size_t>(draws.below(3))], draws);
}

CapturePlace slip_in_marker(CaptureContents& contents, Draws& draws) {
  constexpr const char* kValues[] = {"declard", "yes", "Declared"};
  return set_root(contents, kValues, golden::kMarker, draws);
}

CapturePlace slip_in_declaration(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(contents.outputs(), draws);
  if (!path) return path;
  contents.datasets.erase(*path);
  constexpr const char* kNames[] = {"not_computed_tap", "not_computed", "notcomputed_taps"};
  contents.root[kNames[static_cast<size_t>(draws.below(3))]] = *path;
  return path;
}

CapturePlace declare_everything_absent(CaptureContents& contents, Draws&) {
  for (const std::string& path : contents.outputs()) contents.datasets.erase(path);
  contents.root["not_computed_taps"] = "*";
  return "*";
}

CapturePlace declare_what_is_there(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(contents.outputs(), draws);
  if (path) contents.root["not_computed_taps"] = *path;
  return path;
}

/// Declares every sequence absent, so that nothing is left to judge.
CapturePlace declare_no_sequence(CaptureContents& contents, Draws&) {
  int64_t most = 0;
  for (const auto& [path, tap] : contents.datasets) {
    if (path.ends_with("tokens/input_ids") && !tap.values.empty()) most = std::max(most, tap.values.shape().front());
  }
  if (most == 0) return std::nullopt;
  std::string rows;
  for (int64_t row = 0; row < most; ++row) rows += fmt::format("{}{}", row > 0 ? " " : "", row);
  contents.root["not_computed_rows"] = rows;
  return rows;
}

CapturePlace other_format(CaptureContents& contents, Draws& draws) {
  constexpr const char* kValues[] = {"9.9", "2.0", "1.x", "one"};
  return set_root(contents, kValues, "format_version", draws);
}

CapturePlace other_profile(CaptureContents& contents, Draws& draws) {
  constexpr const char* kValues[] = {"hf-4.0.0", "hf-5.99.0", "original-2"};
  return set_root(contents, kValues, "profile", draws);
}

/// Misspells an attribute of the root, or of a tap that was filled.
CapturePlace misspell_attribute(CaptureContents& contents, Draws& draws) {
  constexpr const char* kNames[] = {"roundng", "ids_ordr", "nothng", "functon_ulps", "captur", "profil"};
  constexpr const char* kOfTaps[] = {"compted", "nothng", "axis"};
  if (draws.below(2) == 0) {
    const char* name = kNames[static_cast<size_t>(draws.below(6))];
    contents.root[name] = "own";
    return fmt::format("root: {}", name);
  }
  const CapturePlace path = drawn(outputs_where(contents, has_values), draws);
  if (!path) return path;
  const char* name = kOfTaps[static_cast<size_t>(draws.below(3))];
  contents.datasets.at(*path).attributes[name] = "yes";
  return fmt::format("{}: {}", *path, name);
}

/// Replaces an axis letter of a tap by one that the tap does not have.
CapturePlace contradict_axes(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(outputs_where(contents,
                                                [](const std::string& name, const CapturedTap& tap) {
                                                  return has_values(name, tap) && tap.labels.axes.size() > 1;
                                                }),
                                  draws);
  if (!path) return path;
  std::string& axes = contents.datasets.at(*path).labels.axes;
  const std::string before = axes;
  std::replace(axes.begin(), axes.end(), axes.back(), axes.back() == 'Z' ? 'W' : 'Z');
  return fmt::format("{}: {} for {}", *path, axes, before);
}

/// Adds weights that the capture claims to have computed with: zeros, negated ones, or newly drawn numbers.
CapturePlace other_weights(CaptureContents& contents, Draws& draws) {
  if (contents.published == nullptr) return std::nullopt;
  CapturePaths names = contents.published->names();
  std::erase_if(names, [&](const std::string& name) {
    const StoredInfo info = contents.published->describe(name);
    return !is_float(info.dtype) || size_of(info.dtype) == 1;
  });
  const CapturePlace name = drawn(names, draws);
  if (!name) return name;
  const Shape shape = contents.published->describe(*name).shape;
  std::vector<double> weights(static_cast<size_t>(element_count(shape)));
  contents.published->read(*name, weights.data());
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0.0; })) return std::nullopt;
  const double factor = draws.below(2) == 0 ? 0.0 : -1.0;
  CapturedTap own;
  std::string axes;
  for (size_t axis = 0; axis < shape.size(); ++axis) axes += (axis > 0 ? "," : "") + std::string(1, "FHE"[axis % 3]);
  own.values = Tensor(DType::f32, shape, axes);
  for (size_t i = 0; i < weights.size(); ++i)
    store_element(DType::f32, own.values.view().data + 4 * static_cast<int64_t>(i), factor * weights[i]);
  own.labels = {axes, "parameter", "dequantise"};
  contents.datasets["weights/" + *name] = own;
  contents.groups["weights"]["own"] = "yes";
  return fmt::format("{} times {}", *name, factor);
}

}  // namespace parity::faults
