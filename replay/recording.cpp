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

Recording::Recording(const golden::ActivationFile& file, const Plan& plan) : file_(file), plan_(plan) {
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
  for (const auto& [cache, parts] : plan.histories) {
    if (!has(cache)) continue;
    for (const HistoryPart& part : parts) holders_.try_emplace(part.tap, cache);
  }
}

std::optional<Mismatch> Recording::mismatch(const std::string& dataset, const TapInfo& info) const {
  const golden::DatasetInfo& found = file_.at(dataset);
  const DType wanted = plan_.dtype_of(info.type);
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

bool Recording::from_parts(const std::string& cache) const {
  const auto& parts = plan_.histories.at(cache);
  return std::all_of(parts.begin(), parts.end(), [&](const HistoryPart& part) { return has(part.tap); });
}

const std::string* Recording::later_cache(const std::string& cache) const {
  const auto found = holders_.find(plan_.histories.at(cache).back().tap);
  return found == holders_.end() ? nullptr : &found->second;
}

bool Recording::anchored(const std::string& cache) const {
  if (has(cache) || from_parts(cache)) return true;
  const auto& inputs = plan_.nodes[static_cast<size_t>(plan_.tap(cache).producer)].inputs;
  const auto past = inputs.find("past");
  return past != inputs.end() && anchored(past->second.front().name);
}

bool Recording::available(const std::string& tap) const {
  if (has(tap)) return true;
  if (!plan_.histories.contains(tap)) return false;
  // A later cache is the last resort: it is judged after the taps that would use it here.
  return from_parts(tap) || (!anchored(tap) && later_cache(tap) != nullptr);
}

Tensor Recording::read_part(const std::string& part, const std::string& axes) const {
  const Tensor whole = read(part);
  return convert(whole.view().view_as(axes, plan_.sizes_of(plan_.nodes[static_cast<size_t>(plan_.tap(part).producer)])),
                 whole.dtype());
}

Tensor Recording::read_dataset(const std::string& dataset, const TapInfo& info) const {
  if (info.type == TapType::text) return bytes_of(joined(file_.read_texts(dataset)), info.axes);
  const Tensor stored = file_.read(dataset);
  if (stored.shape() == info.shape || !info.one_for_all_rows) return stored.reshaped(info.shape, info.axes);
  const Tensor row = stored.reshaped(shared_shape(info), info.axes);
  return concatenate(std::vector(static_cast<size_t>(info.shape.front()), row.view()), info.axes.front());
}

Tensor Recording::read(const std::string& tap) const {
  const TapInfo& info = plan_.tap(tap);
  const auto dataset = datasets_.find(tap);
  if (dataset != datasets_.end()) return read_dataset(dataset->second, info);
  PARITY_CHECK(available(tap), not_found, "tap {} is not recorded and does not follow from what is", tap);
  const auto& history = plan_.histories.at(tap);
  const int64_t used = history.back().first + history.back().length;
  std::vector<Tensor> parts;
  std::vector<TensorView> views;
  const auto add = [&](Tensor part, int64_t slots) {
    parts.push_back(std::move(part));
    TensorView view = parts.back().view();
    view.axes = info.axes;
    views.push_back(slice(view, 'K', 0, slots));
  };
  if (from_parts(tap)) {
    for (const HistoryPart& part : history) add(read_part(part.tap, part.axes), part.length);
  } else {
    add(read(*later_cache(tap)), used);
  }
  if (used < info.shape[2]) {  // the tail of a static cache
    Shape tail = info.shape;
    tail[2] -= used;
    add(Tensor(parts.front().dtype(), tail, info.axes), tail[2]);
  }
  return concatenate(views, 'K');
}

}  // namespace parity::replay
