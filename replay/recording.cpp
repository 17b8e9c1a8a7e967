// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/recording.hpp"

#include <algorithm>

namespace parity::replay {
namespace {

/// "B,S,GD" with every letter an axis of its own: "B,S,G,D".
std::string expanded(const std::string& axes) {
  std::string result;
  for (const std::string& token : split_axes(axes)) {
    for (const char letter : token) result += std::string(result.empty() ? "" : ",") + letter;
  }
  return result;
}

std::string renamed(std::string axes, char from, char to) {
  std::replace(axes.begin(), axes.end(), from, to);
  return axes;
}

}  // namespace

Recording::Recording(const golden::ActivationFile& file, const Plan& plan) : file_(file), plan_(plan) {
  for (const auto& [tap, info] : plan.taps) {
    if (file.contains(tap)) datasets_[tap] = tap;
  }
  for (const auto& [alias, tap] : plan.aliases) {
    if (file.contains(alias)) datasets_.try_emplace(tap, alias);
  }
  for (const auto& [tap, dataset] : datasets_) check(dataset, plan.tap(tap));
  for (const auto& [cache, parts] : plan.histories) {
    if (!has(cache)) continue;
    for (const HistoryPart& part : parts) holders_[part.tap].push_back({cache, part});
  }
}

void Recording::check(const std::string& dataset, const TapInfo& info) const {
  const golden::DatasetInfo& found = file_.at(dataset);
  const DType wanted = plan_.dtype_of(info.type);
  PARITY_CHECK(!found.text && found.dtype == wanted, schema, "dataset {} is {}, the plan wants {}; re-capture it as {}", dataset,
               found.text ? "text" : to_string(found.dtype), to_string(wanted), to_string(wanted));
  PARITY_CHECK(found.shape == info.shape, schema, "dataset {} has shape {}, the plan wants {} ({}); check config.json against the capture",
               dataset, to_string(found.shape), to_string(info.shape), info.axes);
}

std::optional<Recording::Holder> Recording::holder_of(const std::string& part) const {
  const auto found = holders_.find(part);
  if (found == holders_.end()) return std::nullopt;
  return found->second.front();
}

const std::string* Recording::later_cache(const std::string& cache) const {
  const auto& parts = plan_.histories.at(cache);
  const auto found = holders_.find(parts.back().tap);
  return found == holders_.end() ? nullptr : &found->second.front().cache;
}

bool Recording::available(const std::string& tap) const {
  if (has(tap) || holders_.contains(tap)) return true;
  const auto history = plan_.histories.find(tap);
  if (history == plan_.histories.end()) return false;
  if (later_cache(tap) != nullptr) return true;
  return std::all_of(history->second.begin(), history->second.end(), [&](const HistoryPart& part) { return has(part.tap); });
}

Tensor Recording::read_part(const std::string& part, const std::string& axes) const {
  const Tensor whole = read(part);
  return convert(whole.view().view_as(axes, plan_.sizes.at(plan_.nodes[static_cast<size_t>(plan_.tap(part).producer)].step)),
                 whole.dtype());
}

Tensor Recording::read(const std::string& tap) const {
  const TapInfo& info = plan_.tap(tap);
  const auto dataset = datasets_.find(tap);
  if (dataset != datasets_.end()) return file_.read(dataset->second).reshaped(info.shape, info.axes);
  if (const auto holder = holder_of(tap)) {  // this call's slots of a recorded cache
    const Tensor cache = read(holder->cache);
    TensorView slots = slice(cache.view(), 'K', holder->part.first, holder->part.length);
    slots.axes = renamed(slots.axes, 'K', 'S');
    return convert(slots.view_as(expanded(info.axes), {}), slots.dtype).reshaped(info.shape, info.axes);
  }
  PARITY_CHECK(available(tap), not_found, "tap {} is not recorded and does not follow from what is", tap);
  if (const std::string* later = later_cache(tap)) {
    const Tensor cache = read(*later);
    return convert(slice(cache.view(), 'K', 0, info.shape[2]), cache.dtype());
  }
  std::vector<Tensor> parts;
  std::vector<TensorView> views;
  for (const HistoryPart& part : plan_.histories.at(tap)) {
    parts.push_back(read_part(part.tap, part.axes));
    views.push_back(parts.back().view());
    views.back().axes = info.axes;
  }
  return concatenate(views, 'K');
}

}  // namespace parity::replay
