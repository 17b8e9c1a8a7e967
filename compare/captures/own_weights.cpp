// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/own_weights.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace parity::compare {
namespace {

constexpr std::string_view kFolder = "weights/";

/// Relative RMS difference above which a weight is not the published one in fewer bits. One bit per number (the sign,
/// with the mean magnitude of the group) leaves sqrt(1 - mean(|w|)^2 / mean(w^2)): 0.60 for normal weights, 1/sqrt(2)
/// for Laplace's, whose tails are heavier than those of weights. Two bits spread from minimum to maximum of a group of
/// up to 128 leave 0.50 and 0.67. Zeros leave 1, another tensor 1.4, the negated weight 2.
constexpr double kOneBit = 0.7072;

bool is_codes(DType dtype) { return size_of(dtype) == 1; }

void check_numbers(const std::string& place, const TensorView& view) {
  for (int64_t i = 0, n = view.count(); i < n; ++i) {
    PARITY_CHECK(std::isfinite(view.value(i)), schema,
                 "{}: element {} is {}, not a finite number; store the numbers that your engine computes with", place,
                 i, view.value(i));
  }
}

}  // namespace

OwnWeights::OwnWeights(const WeightSource& published, const golden::ActivationFile& capture, DType working)
    : published_(published), working_(working) {
  const std::string file = capture.path().string();
  for (const golden::DatasetInfo& info : capture.datasets()) {
    if (!info.path.starts_with(kFolder)) continue;
    const std::string name = info.path.substr(kFolder.size());
    PARITY_CHECK(published.contains(name), schema, "{}: {}: the checkpoint has no such tensor{}", file, info.path,
                 did_you_mean(name, published.names()));
    const StoredInfo known = published.describe(name);
    PARITY_CHECK(!info.text && is_float(info.dtype) && !is_codes(info.dtype), schema,
                 "{}: {} is {}; store the numbers that your engine computes with, in a float type", file, info.path,
                 info.text ? "text" : parity::to_string(info.dtype));
    PARITY_CHECK(info.shape == known.shape, schema, "{}: {} has shape {}, but the checkpoint's tensor has {}", file,
                 info.path, parity::to_string(info.shape), parity::to_string(known.shape));
    own_[name] = capture.read(info.path);
    check_numbers(fmt::format("{}: {}", file, info.path), own_[name].view());
  }
}

TensorView OwnWeights::tensor(const std::string& name) const {
  const auto own = own_.find(name);
  return own == own_.end() || is_codes(published_.describe(name).dtype) ? published_.tensor(name) : own->second.view();
}

StoredInfo OwnWeights::describe(const std::string& name) const {
  StoredInfo info = published_.describe(name);
  if (own_.contains(name) && !is_codes(info.dtype)) info.dtype = working_;
  return info;
}

void OwnWeights::read(const std::string& name, double* target) const {
  const auto own = own_.find(name);
  if (own == own_.end()) return published_.read(name, target);
  const TensorView& view = own->second.view();
  for (int64_t i = 0, n = view.count(); i < n; ++i) target[i] = view.value(i);
}

std::vector<WeightDifference> OwnWeights::differences() const {
  std::vector<WeightDifference> result;
  for (const auto& [name, own] : own_) {
    const int64_t count = own.view().count();
    std::vector<double> published(static_cast<size_t>(count));
    published_.read(name, published.data());
    double squares = 0.0, errors = 0.0;
    WeightDifference difference{name};
    for (int64_t i = 0; i < count; ++i) {
      const double error = own.view().value(i) - published[static_cast<size_t>(i)];
      squares += published[static_cast<size_t>(i)] * published[static_cast<size_t>(i)];
      errors += error * error;
      difference.largest = std::max(difference.largest, std::abs(error));
    }
    difference.relative_rms = errors == 0.0 ? 0.0 : std::sqrt(errors / squares);
    result.push_back(difference);
  }
  return result;
}

std::vector<std::string> other_weights(const std::vector<WeightDifference>& differences) {
  std::vector<std::string> lines;
  for (const WeightDifference& weight : differences) {
    if (weight.relative_rms <= kOneBit) continue;
    lines.push_back(
        fmt::format("{}{} differs by {:.0f} % (rms) from the published one, more than one bit per number would ({:.0f} "
                    "%): it is not a quantised form of that weight; store what your engine computes with",
                    kFolder, weight.name, 100.0 * weight.relative_rms, 100.0 * kOneBit));
  }
  return lines;
}

}  // namespace parity::compare
