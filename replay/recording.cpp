// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/recording.hpp"

#include <algorithm>
#include <cstring>

namespace parity::replay {

namespace {

/// The shape of a tap that is recorded once for all sequences.
Shape shared_shape(const TapInfo& info) {
  Shape shape = info.shape;
  shape.front() = 1;
  return shape;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (size_t i = 0; i < texts.size(); ++i) result += (i > 0 ? std::string(1, '\0') : "") + texts[i];
  return result;
}

Tensor bytes_of(const std::string& text, const std::string& axes) {
  Tensor result(DType::u8, {static_cast<int64_t>(text.size())}, axes);
  std::memcpy(result.view().data, text.data(), text.size());
  return result;
}

}  // namespace

Recording::Recording(const golden::ActivationFile& file, const Plan& plan) : TapSource(plan), file_(file) {
  for (const auto& [tap, info] : plan.taps) {
    if (file.contains(tap)) datasets_[tap] = tap;
  }
  for (const auto& [alias, tap] : plan.aliases) {
    if (file.contains(alias)) datasets_.try_emplace(tap, alias);
  }
  for (const auto& [tap, dataset] : std::map<std::string, std::string>(datasets_)) {
    const auto found = mismatch(dataset, plan.tap(tap));
    if (!found) continue;
    PARITY_CHECK(plan.tap(tap).producer >= 0, schema, "{}", found->reason);
    mismatches_[tap] = *found;
    datasets_.erase(tap);
  }
}

std::optional<Mismatch> Recording::mismatch(const std::string& dataset, const TapInfo& info) const {
  const golden::DatasetInfo& found = file_.at(dataset);
  const DType wanted = plan().dtype_of(info.type);
  if (found.text && info.type == TapType::text) return mismatch_of_text(dataset, info);
  if (found.text || found.dtype != wanted || info.type == TapType::text) {
    return Mismatch{true,
                    fmt::format("dataset {} is {}, the plan wants {}; re-capture it as {}", dataset,
                                found.text ? "text" : to_string(found.dtype), to_string(wanted), to_string(wanted))};
  }
  if (found.shape == info.shape) return std::nullopt;
  if (info.one_for_all_rows && found.shape == shared_shape(info)) return std::nullopt;
  return Mismatch{false,
                  fmt::format("dataset {} has shape {}, the plan wants {} ({}); check the model against config.json",
                              dataset, to_string(found.shape), to_string(info.shape), info.axes)};
}

std::optional<Mismatch> Recording::mismatch_of_text(const std::string& dataset, const TapInfo& info) const {
  const auto length = static_cast<int64_t>(joined(file_.read_texts(dataset)).size());
  if (info.shape == Shape{length}) return std::nullopt;
  return Mismatch{false, fmt::format("dataset {} has {} bytes of text, the plan wants {}; re-capture it", dataset,
                                     length, to_string(info.shape))};
}

Tensor Recording::read_dataset(const std::string& dataset, const TapInfo& info) const {
  if (info.type == TapType::text) return bytes_of(joined(file_.read_texts(dataset)), info.axes);
  const Tensor stored = file_.read(dataset);
  if (stored.shape() == info.shape || !info.one_for_all_rows) return stored.reshaped(info.shape, info.axes);
  const Tensor row = stored.reshaped(shared_shape(info), info.axes);
  return concatenate(std::vector(static_cast<size_t>(info.shape.front()), row.view()), info.axes.front());
}

Tensor Recording::held(const std::string& tap) const { return read_dataset(datasets_.at(tap), plan().tap(tap)); }

}  // namespace parity::replay
